# SPDX-License-Identifier: MIT
# For the tests of `privileged` on stated machines.

load ../../tests/kam/stated_helper

probe=privileged
asked=(--layer b --probes privileged)
rows='rdtsc cpuid verw cr3 invlpg rdmsr rdmsr-apic wrmsr sti-cli swapgs port-in lgdt interrupt
	syscall xsave-sse xsaveopt-sse xsavec-sse xrstor-sse touch cr3-touch
	clflush-absent clflush-clean clflush-dirty wbinvd-clean wbinvd-half wbinvd-full'
values='cr3_cycles invlpg_cycles cpuid_cycles'

# A machine whose costs are other ones.
costly='tests/kam/cpus/small.ini tsc.cpuid=1913 privileged.cr3=1187 privileged.invlpg=611
	privileged.rdmsr=77 privileged.wrmsr=259 privileged.sti=23 privileged.cli=31
	privileged.swapgs=43 privileged.verw=467 privileged.port_in=2741 privileged.lgdt=149
	privileged.interrupt=311 privileged.iret=223 privileged.syscall=173 privileged.sysret=127
	privileged.xsave=331 privileged.xsaveopt=263 privileged.xsavec=241 privileged.xrstor=383
	privileged.wbinvd=371293 privileged.wbinvd_line=7'
