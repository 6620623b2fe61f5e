/* SPDX-License-Identifier: MIT */
/*
 * CPUID's claims about the processor. They are printed beside measurements and are never the origin
 * of a value, because hypervisors and emulators invent them. They set how far to measure, and may
 * make a value doubtful.
 */
#ifndef ENGINE_CLAIMS_H
#define ENGINE_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"

struct room;

struct cpu_claim {
	char vendor[13]; /* "GenuineIntel" */
	char brand[49];  /* leaves 80000002h..4h, outer and doubled blanks removed; "" = none */
	unsigned family, model, stepping; /* with the extended fields added in */
};

void claims_cpu(struct room *, struct cpu_claim *);

enum claim_type { CLAIM_DATA = 1, CLAIM_INSTRUCTION = 2, CLAIM_UNIFIED = 3 };

struct cache_claim {
	unsigned level;
	enum claim_type type;
	uint64_t bytes;
	unsigned ways; /* 0: fully associative or not told */
	unsigned line_bytes;
	unsigned shared_by; /* most logical processors that share it; 0: not told */
};

/*
 * The caches of leaf 4 (Intel, Zhaoxin), 8000001Dh (AMD), or 80000005h-6h (AMD, Zhaoxin), nearest
 * first. Returns how many were written to out[max].
 */
unsigned claims_caches(struct room *, struct cache_claim *out, unsigned max);

/* The data or unified cache of a level, 1 the nearest. False: CPUID claims none. */
bool claims_data_cache(struct room *, unsigned level, struct cache_claim *out);

/*
 * Returns the number of consecutive levels of data or unified caches that CPUID claims, from 1 on;
 * *largest: bytes of the largest cache.
 */
unsigned claims_data_caches(struct room *, uint64_t *largest);

enum { TLB_4K = 1, TLB_2M = 2, TLB_1G = 4 };

/*
 * Entries of the data side of a level that can hold such pages (TLB_4K ...), of all unified
 * structures of that level together: Intel's since Ice Lake has two. NAN: no claim.
 */
double claims_tlb_entries(struct room *, unsigned level, unsigned pages);

/* CPUID's claims about the hypervisor and the TSC's rate, read alike in every room. */

/* The hypervisor's vendor string (CPUID 40000000h), "" where CPUID.1 ECX[31] is clear. */
void identity_hypervisor(struct room *, char out[13]);

/* Returns true if that vendor is an emulator: QEMU's TCG or Bochs. */
bool identity_emulated(const char *hypervisor);

/* CPUID 80000007h EDX[8]: the TSC runs at one rate in all P-, C- and T-states. */
bool identity_tsc_invariant(struct room *);

/*
 * TSC rates that CPUID claims, in Hz; 0: not told.
 * 15h: crystal * EBX / EAX; a crystal of 0 is filled in by model, or by 16h. 16h: the rounded base
 * frequency. 40000010h: EAX in kHz (VMware's and KVM's timing leaf).
 */
double identity_tsc_15h(struct room *);
/*
 * Returns the rate that the ratios of Intel's MSRs multiply, Hz: 133.3 MHz in Nehalem and Westmere,
 * 100 MHz since. 0: it is a front side bus's, of several rates (before Nehalem, and Atom before
 * Silvermont), another MSR tells it (Silvermont, Airmont: CDh), or the processor is not Intel's
 * (Linux, tsc_msr.c, turbostat.c).
 */
double identity_bus_hz(struct room *);
double identity_tsc_16h(struct room *);
double identity_tsc_40000010h(struct room *);

#endif
