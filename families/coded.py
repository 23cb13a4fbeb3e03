"""A matrix product on workers that may straggle, for the least expected time."""

from .family import Family
from .method import Method

METHODS = (
    Method(
        name="mds",
        module=".policies.coded:MDS",
        about="one combination of all parts per worker, any k suffice, k is optimized",
        source="Lee et al. 2018 (arXiv 1512.02673), with more laws",
        guarantee="optimal",
    ),
    Method(
        name="replication",
        module=".policies.coded:REPLICATION",
        about="each part on several workers, the first result is used",
        source="baseline of Lee et al. 2018 (arXiv 1512.02673)",
    ),
    Method(
        name="uncoded",
        module=".policies.coded:UNCODED",
        about="one part per worker, and the product waits for all",
        source="baseline of Lee et al. 2018 (arXiv 1512.02673)",
    ),
)

CODED = Family(
    kind="coded",
    about=(
        "one matrix product, cut into parts and multiplied by workers whose times have "
        "stragglers. The answer is a code"
    ),
    objective="expected time",
    unit="s",
    instance=".instances.coded:CodedInstance",
    schedule=".instances.coded:CodedPlan",
    presets=".instances.coded.mix:PRESETS",
    extent=lambda one: (one.workers, one.workers, 0),
    judge=".analysis.check.coded:check_coded",
    rules=".analysis.check.coded:RULES",
    proofs=".analysis.check.certificates.coded:RULES",
    theorems=".analysis.guarantees.coded:CODED",
    claims={"expected_s": "expected"},
    refusal=".search.coded:refusal",
    bounds=".search.coded:combinatorial_bounds",
    shown=".cli.show.training_steps:show_coded",
    chartless="a code has no times to draw. Compute its gain with ringyard code {}",
    examples=("coded-10", "coded-100", "coded-pareto", "coded-bimodal", "coded-measured"),
    drawn=".instances.coded.mix:random_coded",
    methods=METHODS,
    default="mds",
)
