"""Random trace instances with everything that the family has, and deciders that obey the rules."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from random import Random

from check.trace.small import job, yard

from ringyard.instances import RackLinks, ServerUplink, TraceInstance
from ringyard.simulation.trace import NONE, ClusterView, GrantedGpus, JobView, TraceSetting

CONTENTIONS = (
    None,
    ServerUplink(),
    ServerUplink(share=Decimal("0.5"), degradation=Decimal("0.25")),
    RackLinks(),
    RackLinks(oversubscription=Decimal(2)),
)


def drawn(seed: int, jobs: int = 8) -> TraceInstance:
    luck = Random(seed)
    servers = {luck.choice("ab") + str(k): luck.randint(1, 4) for k in range(luck.randint(1, 4))}
    total, tick = sum(servers.values()), luck.choice([Decimal(1), Decimal("0.5"), Decimal(10)])
    made = []
    for k in range(luck.randint(1, jobs)):
        gpus = luck.randint(1, total)
        other = [w for w in range(1, total + 1) if w != gpus and luck.random() < 0.5]
        made.append(
            job(
                f"j{k}",
                gpus,
                luck.randint(1, 30) * tick,
                luck.randint(0, 20) * tick,
                communication=luck.choice([0, 0, 0.1, 0.37, 1, 2.5]),
                packed_speed=luck.choice([None, None, 0.6, 0.333]),
                speeds={w: round(luck.uniform(0.2, 2), 3) for w in other},
                model=luck.choice([None, "VGG16", "ResNet50"]),
            )
        )
    return yard(
        servers,
        *made,
        contention=luck.choice(CONTENTIONS),
        tick_s=tick,
        restart_s=luck.choice([0, 2, 5]) * tick,
        resume_s=luck.choice([None, 0 * tick, tick]),
    )


class Drawing:
    """Decides by lot: who runs, on how many GPUs, where, and whether they are shared."""

    information = NONE

    def __init__(self, seed: int) -> None:
        self._luck = Random(seed)

    def begin(self, world: TraceSetting) -> None:
        self._servers = world.servers

    def decide(self, jobs: Sequence[JobView], board: ClusterView) -> Mapping[int, GrantedGpus]:
        free = [2 * server.gpus for server in self._servers]
        holds = {}
        for one in self._luck.sample(list(jobs), len(jobs)):
            hold = self._hold(one, board, free)
            if hold is not None and hold.pieces is not None:
                holds[one.number] = hold
                for server, gpus in hold.pieces.items():
                    free[server] -= gpus * (2 - hold.half)
        return holds

    def _hold(self, one: JobView, board: ClusterView, free: list[int]) -> GrantedGpus | None:
        luck = self._luck
        if luck.random() < 0.1:
            return None
        if one.running and luck.random() < 0.85:
            pieces, half = board.pieces(one.number), board.half(one.number)
            if all(free[server] >= gpus * (2 - half) for server, gpus in pieces.items()):
                return GrantedGpus(one.width, pieces, half)
        width, half = luck.choice(list(one.speeds)), one.packed_speed > 0 and luck.random() < 0.5
        places = [k for k, room in enumerate(free) for _ in range(room // (2 - half))]
        if len(places) < width:
            return None
        chosen = luck.sample(places, width)
        return GrantedGpus(width, {k: chosen.count(k) for k in chosen}, half)
