"""How long a step takes if the exchange of a layer does not wait for the other layers.

Source: SMD, its time of wait-free backpropagation.
"""

from collections.abc import Sequence


def wait_free_ms(
    backward_ms: Sequence[float], transfer_ms: Sequence[float], forward_ms: Sequence[float]
) -> float:
    """Return the time of a step from the times of its layers, the first one first.

    The backward pass goes from the last layer to the first. Each gradient is then sent to the
    servers and the new parameters come back, one layer at a time in either direction; the forward
    pass waits for all. In SMD's words layer j is sent from kappa_j and comes back from s_j - r_j,

        kappa_N = b_N, kappa_j = max(sum_{k>=j} b_k, kappa_{j+1} + r_{j+1}),
        s_N = b_N + r_N, s_j = max(kappa_j + r_j, s_{j+1} + r_{j+1}), t = s_1 + r_1 + sum_j f_j.
    """
    computed = sent = back = 0.0
    for compute, transfer in zip(reversed(backward_ms), reversed(transfer_ms), strict=True):
        computed += compute
        sent = max(computed, sent) + transfer
        back = max(sent, back) + transfer
    return back + sum(forward_ms)
