"""Choice of the updates that are also sent to the replica, to keep it within its limit.

Source: Ringyard, after the third of MLfabric's decisions. A knapsack: copies take bandwidth from
updates to the server, so as few gigabytes as possible are copied.

Data: for each update i its size s_i and its norm n_i, and the divergence d.

Variables
    copied[i] in {0, 1}: update i goes to the replica too

Objective
    copied_gb: minimise sum_i s_i copied[i]

Constraints
    divergence: sum_i n_i (1 - copied[i]) <= d

By construction
    once: every update is sent
    one_way: every update goes directly
    copies: there is a replica, if there is a divergence

Left out
    staleness: the order is open
    due: so are times

The row states exactly the need of a plan that sends every update by itself. Updates wait at the
server until a copy has arrived, and when all copies have, the remaining updates are within d. The
objective is not the instance's.

Size: |I| variables and a row.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import Send, TransferPlan, TransfersInstance

NAME = "copies"


def refuses(instance: TransfersInstance) -> str | None:
    """Return why no update has to be copied, or None if one may have to be."""
    norms = sum(one.norm for one in instance.updates)
    if instance.divergence is None or norms <= instance.divergence:
        return "its divergence limits nothing, so no update must be copied"
    return None


def build(instance: TransfersInstance) -> Any:
    """Return the program of an instance, which has no horizon."""
    model = pyo.ConcreteModel()
    model.instance, updates = instance, instance.updates
    model.copied = pyo.Var(range(len(updates)), domain=pyo.Binary, initialize=0)
    sizes = {i: float(one.size_gb) for i, one in enumerate(updates)}
    model.copied_gb = pyo.Objective(expr=pyo.sum_product(sizes, model.copied))
    assert instance.divergence is not None
    behind = sum(float(one.norm) * (1 - model.copied[i]) for i, one in enumerate(updates))
    model.divergence = pyo.Constraint(expr=behind <= float(instance.divergence))
    return model


def write(model: Any, plan: TransferPlan) -> None:
    """Put the copies of a plan into the variables."""
    named = {name for send in plan.sends if send.to == "both" for name in send.updates}
    for i, update in enumerate(model.instance.updates):
        model.copied[i].set_value(int(update.name in named))


def read(model: Any) -> TransferPlan:
    """Return the plan of a point: every update directly, by size, the chosen ones copied."""
    updates = model.instance.updates
    order = sorted(range(len(updates)), key=lambda i: (updates[i].ready_s, updates[i].size_gb, i))
    copied = {i for i in order if (model.copied[i].value or 0) > 0.5}
    sends = tuple(
        Send(updates=(updates[i].name,), to="both" if i in copied else "server") for i in order
    )
    return TransferPlan(instance=model.instance.name, method=NAME, sends=sends)
