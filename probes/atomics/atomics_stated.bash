# SPDX-License-Identifier: MIT
# For the tests of `atomics` on stated machines.

load ../../tests/kam/stated_helper

probe=atomics
asked=(--profile full --every-row --probes clock:core-clock,atomics)
alone='add lock-add cas cas-fails lock-xadd xchg store-mfence split'
rows="$alone shared shared-cas false-sharing own-lines false-sharing-add own-lines-add"
values='lock_add_cycles cas_cycles atomics_shared_ns false_sharing_ratio'
