-: kernel/smp/ap_firmware.c kernel/smp/ap_firmware.h \
 kernel/smp/processors.h kernel/cpu/cpu_controls.h kernel/config.h \
 kernel/machine.h engine/options.h lib/settings.h kernel/cpu/msr.h \
 kernel/cpu/cpu_ops.h lib/cpuid.h kernel/cpu/pmu.h \
 kernel/cpu/cpu_controls.inc kernel/cpu/descriptors.h kernel/cpu/x86.h \
 engine/env.h probes/loops/loops.h probes/loops/loops.inc \
 lib/event_counts.inc kernel/cpu/fault.h kernel/cpu/context.h \
 kernel/smp/idle.h kernel/cpu/boot_cpu.h kernel/cpu/cpu_state.h \
 kernel/memory/layout.h kernel/memory/paging.h kernel/console/console.h \
 kernel/cpu/no_execute.h kernel/firmware/firmware_calls.h \
 kernel/smp/ap_startup.h kernel/steps.h kernel/step_state.h
kernel/smp/ap_firmware.h:
kernel/smp/processors.h:
kernel/cpu/cpu_controls.h:
kernel/config.h:
kernel/machine.h:
engine/options.h:
lib/settings.h:
kernel/cpu/msr.h:
kernel/cpu/cpu_ops.h:
lib/cpuid.h:
kernel/cpu/pmu.h:
kernel/cpu/cpu_controls.inc:
kernel/cpu/descriptors.h:
kernel/cpu/x86.h:
engine/env.h:
probes/loops/loops.h:
probes/loops/loops.inc:
lib/event_counts.inc:
kernel/cpu/fault.h:
kernel/cpu/context.h:
kernel/smp/idle.h:
kernel/cpu/boot_cpu.h:
kernel/cpu/cpu_state.h:
kernel/memory/layout.h:
kernel/memory/paging.h:
kernel/console/console.h:
kernel/cpu/no_execute.h:
kernel/firmware/firmware_calls.h:
kernel/smp/ap_startup.h:
kernel/steps.h:
kernel/step_state.h:
