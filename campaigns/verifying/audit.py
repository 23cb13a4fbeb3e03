"""The premise of PD-ORS's ratio, looked at in a run: are its plans within chi of the cheapest?

What the proof (docs/online/pd-ors.md) needs is that for every job, at the prices it was offered, no
schedule pays more than what the job was given when all prices are multiplied by chi. Both sides
are computed: the payoff of the offer, and an upper bound on the other by the relaxed pricing of
`search/online/pricing.py`, over schedules that fit and that do not.
"""

import numpy as np
from numpy.random import default_rng

from ...instances import OnlineInstance
from ...policies.online.offers import OfferMaker
from ...policies.online.terms import Options
from ...search.online.asks import market
from ...search.online.pricing import GroupedJob, OfferMix, by_envelopes, by_table
from ...simulation.online.model import Floats, online_model, with_hosts

MOST = 100_000
"""Triples of job, machine and slot beyond which a run is not audited."""

ENOUGH = 1024.0
"""A chi that is not worth looking beyond."""


def audit(instance: OnlineInstance, options: Options, seed: int) -> float | None:
    """Return a chi, to a hundredth, for which the premise holds; None if the instance is too large.

    It is infinite where a job is turned away although it pays at any price that is looked at.
    """
    model = with_hosts(online_model(instance))
    if model.capacity.shape[0] * model.batch.size * model.slots > MOST:
        return None
    offers = OfferMaker(instance, options, int(default_rng(seed).integers(2**62)))
    asks = [
        ask._replace(worker=worker, server=server)
        for ask, worker, server in zip(
            market(instance, np.arange(model.capacity.shape[0])).jobs,
            model.worker,
            model.server,
            strict=True,
        )
    ]
    chi = 1.0
    for job in sorted(range(len(asks)), key=lambda i: int(model.arrival[i])):
        price: Floats = offers.price.copy()
        offers.offer(job)
        paid = offers.payoff * (1 + 1e-9) + 1e-9
        while chi < ENOUGH and _most_gain(chi * price, asks[job]) > paid:
            chi = chi + 0.01 if chi < 4 else chi * 1.1
    return chi if chi < ENOUGH else float("inf")


def unmet_chi(instance: OnlineInstance, options: Options, seed: int) -> str | None:
    """Say why the premise is not met with the chi of the options, or None if it is."""
    allowed, found = float(options.chi), audit(instance, options, seed)
    if found is None:
        return f"needs plans within chi of the cheapest: not audited beyond {MOST:,} triples"
    if found > allowed:
        return f"needs plans within {allowed:g} times the cheapest: {found:.3g} times here"
    return None


def _most_gain(price: Floats, ask: GroupedJob) -> float:
    """Return an upper bound on what a schedule of the job has left of its utility."""
    mix = OfferMix(*(np.zeros(len(price), dtype) for dtype in (np.int64, np.int64, float)))
    best = by_table if ask.parts else by_envelopes
    return float(best(np.ascontiguousarray(price), ask, mix)[0])
