# SPDX-License-Identifier: MIT
# For the tests of `smm` on stated machines.

load ../../tests/kam/stated_helper

probe=smm
asked=(--profile smoke --probes smm)
rows='smi-length smi-interval'
values='smis_per_second smi_length_ns smi_longest_ns smi_stolen_ppm'
