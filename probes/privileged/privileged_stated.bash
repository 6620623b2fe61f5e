# SPDX-License-Identifier: MIT
# For the tests of `privileged` on stated machines.

load ../../tests/kam/stated_helper

probe=privileged
asked=(--layer b --probes privileged)
rows='rdtsc cpuid verw cr3 invlpg rdmsr rdmsr-apic wrmsr sti-cli swapgs port-in lgdt interrupt
	syscall xsave-sse xsaveopt-sse xsavec-sse xrstor-sse touch cr3-touch
	clflush-absent clflush-clean clflush-dirty wbinvd-clean wbinvd-half wbinvd-full'
values='cr3_cycles invlpg_cycles cpuid_cycles'
