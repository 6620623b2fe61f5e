#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of skew_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load skew_stated

# By these seeds one line comes sooner, at the drift of a core, or at its offset.
@test "a line that comes sooner moves the middle of its bounds by half" {
	values=tsc_drift_ppm
	for seed in 3 5; do
		measured probes/skew/sockets.ini --profile full --seed $seed
		right
		ok 'skew:offset bounds .* rows' 'skew:drift bounds .* rows'
	done
}

@test "TSC_ADJUST of a machine that has none" {
	asked=(--layer b --cpus 3 --profile default --probes skew:adjust,clock:core-clock)
	edited probes/skew/restarted.ini skew.adjust=
	measured "$ini"
	skipped adjust 'CPUID says that there is no TSC_ADJUST'
}
