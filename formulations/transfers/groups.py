"""Routes of updates to the server, so that the last of them can be there soonest.

Source: Ringyard, after the second of MLfabric's decisions, the aggregator of each update.

Data: for each update i its size s_i, the moment r_i when it is ready, and the routes m on which it
can be in time: alone, or through an aggregator a, where it could be at g_im. The moment e_im when
it could be at the server on an idle network, and bandwidths b_h. Moments rho_w = r_i of some i
start the counting of loads, rho_0 first. c_a, the time that the smallest update takes from
aggregator a to the server.

Variables
    takes[i, m] in {0, 1}: update i takes route m
    used[a] in [0, 1]: updates go through aggregator a
    size[a, w] >= 0: the volume from aggregator a to the server after rho_w
    last >= 0: when the last update is at the server

Objective
    last_arrival: minimise last

Constraints
    one_way[i]: sum_m takes[i, m] = 1
    at_best[i]: last >= sum_m e_im takes[i, m]
    opens[i, m]: used[a] >= takes[i, m], if m is through a
    largest[i, m, w]: size[a, w] >= s_i takes[i, m], if m is through a, and g_im >= rho_w
    fits[h, w]: (sum_(i,m: r_i >= rho_w, m crosses h before its aggregator, if any)
        s_i takes[i, m] + sum_(a sends across h) size[a, w]) / b_h <= last - rho_w
    leaves_time[a, h]: sum_(i: crosses h to a) s_i takes[i, a] / b_h + c_a used[a]
        <= last - rho_0

By construction
    once: an update takes one of its routes
    copies: no update is copied

Left out
    staleness: the order is open
    due: only routes on which an update would be late by itself are left out
    divergence: it may make updates wait

A relaxation: flows that fit through links over their whole time may not fit at each moment, and
delays of a full link elsewhere are not modelled.

Size: at most |I| (1 + |A|) + |A| (W + 1) + 1 variables.
"""

from fractions import Fraction
from typing import Any

import pyomo.environ as pyo

from ...instances import Send, TransferPlan, TransfersInstance
from ...simulation.transfers import Network
from .relaxations import ready_moments
from .routes import seconds, update_routes

NAME = "groups"


def refuses(instance: TransfersInstance) -> str | None:
    """Return why updates cannot all be applied, or None without a reason."""
    routes = zip(instance.updates, update_routes(instance), strict=True)
    lost = [update.name for update, own in routes if not own]
    return (
        f"update {lost[0]!r} is too stale, or due too soon, and must be dropped" if lost else None
    )


def build(instance: TransfersInstance) -> Any:
    """Return the program of an instance, which has no horizon."""
    model = pyo.ConcreteModel()
    network, model.instance = Network.of(instance), instance
    model.routes = {
        (i, m.via or ""): m for i, own in enumerate(update_routes(instance)) for m in own
    }
    sizes = [float(one.size_gb) for one in instance.updates]
    starts = ready_moments(instance)
    rests = {m.via: m.rest for m in model.routes.values() if m.via is not None}
    model.takes = pyo.Var(list(model.routes), domain=pyo.Binary, initialize=0)
    model.used = pyo.Var(list(rests), bounds=(0, 1), initialize=0)
    model.size = pyo.Var(list(rests), range(len(starts)), bounds=(0, max(sizes)), initialize=0)
    model.last = pyo.Var(domain=pyo.NonNegativeReals, initialize=0)
    model.last_arrival = pyo.Objective(expr=model.last)
    grouped = [(i, via) for i, via in model.routes if via]

    @model.Constraint(range(len(sizes)))
    def one_way(model: Any, i: int) -> Any:
        return sum(model.takes[key] for key in model.routes if key[0] == i) == 1

    @model.Constraint(range(len(sizes)))
    def at_best(model: Any, i: int) -> Any:
        routes = ((key, route) for key, route in model.routes.items() if key[0] == i)
        return model.last >= sum(float(route.arrives) * model.takes[key] for key, route in routes)

    @model.Constraint(grouped)
    def opens(model: Any, i: int, via: str) -> Any:
        return model.used[via] >= model.takes[i, via]

    @model.Constraint([(i, via, w) for i, via in grouped for w in range(len(starts))])
    def largest(model: Any, i: int, via: str, w: int) -> Any:
        if model.routes[i, via].gathered < starts[w]:
            return pyo.Constraint.Skip
        return model.size[via, w] >= sizes[i] * model.takes[i, via]

    hops = sorted({hop for route in model.routes.values() for hop in (*route.own, *route.rest)})

    @model.Constraint(hops, range(len(starts)))
    def fits(model: Any, hop: int, w: int) -> Any:
        crossing = (k for k, route in model.routes.items() if hop in route.own)
        load = sum(
            sizes[i] * model.takes[i, via]
            for i, via in crossing
            if model.routes[i, via].ready >= starts[w]
        )
        load += sum(model.size[via, w] for via, rest in rests.items() if hop in rest)
        return load / _gb_s(instance, hop) <= model.last - float(starts[w])

    tails = {via: float(seconds(network, min(network.sizes.values()), rests[via])) for via in rests}

    @model.Constraint(list(rests), hops)
    def leaves_time(model: Any, via: str, hop: int) -> Any:
        crossing = [
            key for key, route in model.routes.items() if key[1] == via and hop in route.own
        ]
        if not crossing:
            return pyo.Constraint.Skip
        load = sum(sizes[key[0]] * model.takes[key] for key in crossing) / _gb_s(instance, hop)
        return load + tails[via] * model.used[via] <= model.last - float(starts[0])

    return model


def _gb_s(instance: TransfersInstance, hop: int) -> float:
    return float(instance.links[hop // 2].gb_s)


def write(model: Any, plan: TransferPlan) -> None:
    """Put a plan without drops into the variables."""
    names = {one.name: i for i, one in enumerate(model.instance.updates)}
    chosen = {(names[name], send.via or "") for send in plan.sends for name in send.updates}
    for key, variable in model.takes.items():
        variable.set_value(int(key in chosen))
    for via, variable in model.used.items():
        variable.set_value(int(any(key[1] == via for key in chosen)))
    for variable in (*model.size.values(), model.last):
        variable.set_value(0.0)
    for (_, via, w), row in model.largest.items():
        model.size[via, w].set_value(max(model.size[via, w].value, -row.slack()))
    rows = (model.at_best, model.fits, model.leaves_time)
    model.last.set_value(max(-row.slack() for kind in rows for row in kind.values()))


def read(model: Any) -> TransferPlan:
    """Return the plan of a point: one send for each aggregator, and the other updates directly."""
    members: dict[str, list[tuple[Fraction, str]]] = {}
    sends: list[tuple[Fraction, Send]] = []
    for (i, via), route in model.routes.items():
        if (model.takes[i, via].value or 0) > 0.5:
            name = model.instance.updates[i].name
            if via:
                members.setdefault(via, []).append((route.gathered, name))
            else:
                sends.append((route.arrives, Send(updates=(name,))))
    for via, those in members.items():
        names = tuple(name for _, name in sorted(those))
        sends.append((max(those)[0], Send(updates=names, via=via)))
    ordered = tuple(send for _, send in sorted(sends, key=lambda pair: (pair[0], pair[1].updates)))
    return TransferPlan(instance=model.instance.name, method=NAME, sends=ordered)
