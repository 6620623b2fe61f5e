/* SPDX-License-Identifier: MIT */
/*
 * The local vector table of an APIC in room bare (SDM vol. 3A 11.5.1). LINT1, the NMI's entry, is
 * not touched.
 */
#ifndef KERNEL_SMP_LVT_H
#define KERNEL_SMP_LVT_H

#include <stdbool.h>
#include <stdint.h>

#define LVTS 5

/* The register of entry i < LVTS. */
uint16_t lvt_offset(unsigned i);
/* Whether an APIC with that version register has it: reading one that is not there may fault. */
bool lvt_exists(unsigned i, uint32_t version);
/*
 * What an entry is to be: masked. But the thermal one stays as it is where it raises an SMI: the
 * firmware then manages the temperature by it, and masking it would take that away (Linux, commit
 * 9a90ed065a15, "x86/thermal: Fix LVT thermal setup for SMI delivery mode").
 */
uint32_t lvt_in_bare(uint16_t offset, uint32_t entry);

#endif
