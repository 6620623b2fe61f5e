# SPDX-License-Identifier: MIT
# For the tests of `wake` on stated machines.

load ../../tests/kam/stated_helper

probe=wake
asked=(--layer b --profile full --probes wake)
rows='store-pause store-mwait interrupt-pause interrupt-hlt interrupt-mwait nmi-hlt clock-hlt clock-mwait
	timer-pause timer-hlt'
values='wake_hlt_ns wake_mwait_ns wake_clock_ns wake_timer_ns'
