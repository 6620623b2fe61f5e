# SPDX-License-Identifier: MIT
# For the tests of `skew` on stated machines.

load ../../tests/kam/stated_helper

probe=skew
asked=(--profile default --probes skew)
rows='offset drift'
values='tsc_skew_ns tsc_drift_ppm'
