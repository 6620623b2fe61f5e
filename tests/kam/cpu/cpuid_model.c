/* SPDX-License-Identifier: MIT */
/* Layouts: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E. */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/cpuid_model.h"

#define TRUTH  UINT64_MAX
#define BIT(n) (1u << (n))

struct cpuid_cache {
	unsigned level, type;
	uint64_t bytes, ways, line;
};

static uint64_t said(uint64_t claim, uint64_t truth)
{
	return claim == TRUTH ? truth : claim;
}

#define CLAIMS 5

/* The caches as CPUID has them: L1d, L1i, L2, L3, L4; returns how many. */
static unsigned claims(const struct cpu *c, struct cpuid_cache out[CLAIMS])
{
	const struct cpu_claims *k = &c->claims;
	uint64_t line = said(k->line, c->line);
	struct cpuid_cache all[CLAIMS] = {
		{ 1, 1, said(k->l1_bytes, c->level[0].bytes), said(k->l1_ways, c->level[0].ways),
			line },
		{ 1, 2, c->frontend.l1i ? c->frontend.l1i : 32 * KIB,
			c->frontend.l1i ? c->frontend.l1i_ways : 8, line },
		{ 2, 3, said(k->l2_bytes, c->level[1].bytes), said(k->l2_ways, c->level[1].ways),
			line },
		{ 3, 3, said(k->l3_bytes, c->level[2].bytes), said(k->l3_ways, c->level[2].ways),
			line },
		{ 4, 3, said(k->l4_bytes, c->level[3].bytes), said(k->l4_ways, c->level[3].ways),
			line },
	};
	unsigned i, n = 0;

	for (i = 0; i < CLAIMS; i++)
		if (all[i].bytes)
			out[n++] = all[i];
	return n;
}

static double bytes_of(const struct cpu *c, unsigned level, bool code)
{
	struct cpuid_cache all[CLAIMS];
	unsigned i, n = claims(c, all);

	for (i = 0; i < n; i++)
		if (all[i].level == level && (all[i].type == 2) == code)
			return (double)(all[i].bytes / (all[i].ways * all[i].line) * all[i].ways *
				all[i].line);
	return NAN;
}

double cpuid_cache_bytes(const struct cpu *c, unsigned level)
{
	return bytes_of(c, level, false);
}

double cpuid_code_bytes(const struct cpu *c)
{
	return bytes_of(c, 1, true);
}

/* Leaves 4 and 8000001Dh. */
static struct cpuid cache_leaf(const struct cpu *c, uint32_t subleaf)
{
	struct cpuid_cache all[CLAIMS], *k = &all[subleaf < CLAIMS ? subleaf : 0];
	uint32_t sets;

	if (subleaf >= claims(c, all))
		return (struct cpuid){ 0, 0, 0, 0 };
	sets = (uint32_t)(k->bytes / (k->ways * k->line));
	return (struct cpuid){
		.eax = k->type | k->level << 5 | BIT(8),
		.ebx = (uint32_t)(k->line - 1) | (uint32_t)(k->ways - 1) << 22,
		.ecx = sets ? sets - 1 : 0,
	};
}

static struct cpuid text(const char *s)
{
	struct cpuid r;

	memcpy(&r, s, sizeof(r));
	return r;
}

static struct cpuid vendor(const char *s, uint32_t eax)
{
	struct cpuid r = { .eax = eax };

	memcpy(&r.ebx, s, 4);
	memcpy(&r.edx, s + 4, 4);
	memcpy(&r.ecx, s + 8, 4);
	return r;
}

static struct cpuid features(const struct cpu *c)
{
	uint32_t base = c->family > 15 ? 15 : (uint32_t)c->family;
	uint32_t more = c->family > 15 ? (uint32_t)c->family - 15 : 0;

	return (struct cpuid){
		.eax = more << 20 | base << 8 | 1 << 4,
		.ebx = 8 << 8 | (uint32_t)c->threads << 16, /* clflush of 64 bytes, processors */
		.ecx = BIT(31) | (c->privileged.xsave ? BIT(26) : 0) | /* a hypervisor: us */
			(*c->wake.hints ? BIT(3) : 0) | (c->wake.timer ? BIT(24) : 0),
		/* FPU PSE TSC MSR PAE CX8 APIC SEP MTRR PGE MCA CMOV PAT CLFSH MMX FXSR SSE SSE2 */
		.edx = BIT(0) | BIT(3) | BIT(4) | BIT(5) | BIT(6) | BIT(8) | BIT(9) | BIT(11) |
			BIT(12) | BIT(13) | BIT(14) | BIT(15) | BIT(16) | BIT(19) | BIT(23) |
			BIT(24) | BIT(25) | BIT(26) | (c->threads > 1 ? BIT(28) : 0),
	};
}

/* MONITOR and MWAIT: so many sub-states of each state as the highest hint of it says. */
static struct cpuid mwait_leaf(const struct cpu *c)
{
	struct cpuid five = { 0, 0, 0, 0 };

	for (unsigned i = 0; i < cpu_list_length(c->wake.hints); i++) {
		uint32_t hint = (uint32_t)cpu_of_core(c->wake.hints, i);
		unsigned at = 4 * ((hint >> 4) + 1);

		five.eax = five.ebx = 64;
		five.ecx = 3;
		five.edx = (five.edx & ~(15u << at)) | ((hint & 15) + 1) << at;
	}
	return five;
}

static struct cpuid extended_features(const struct cpu *c)
{
	uint32_t rdtscp = c->rdtscp ? BIT(27) : 0, huge = c->huge ? BIT(26) : 0;

	uint32_t six = cpu_is_amd(c) && c->counters == COUNTERS_ALL ? BIT(23) : 0;

	return (struct cpuid){ .ecx = BIT(22) | six,
		.edx = BIT(11) | BIT(20) | BIT(29) | rdtscp | huge };
}

/* Version 4: one counter that is programmed, seven events, two fixed counters; 48 bits each. */
static struct cpuid counter_leaf(const struct cpu *c)
{
	if (c->counters != COUNTERS_ALL || cpu_is_amd(c))
		return (struct cpuid){ 0, 0, 0, 0 };
	return (struct cpuid){ .eax = 4 | 1 << 8 | 48 << 16 | 7 << 24, .edx = 2 | 48 << 5 };
}

/* Claim the state of x87 and SSE, XSAVEOPT and XSAVEC; no other vector state. */
static struct cpuid state_leaf(const struct cpu *c, uint32_t subleaf)
{
	if (!c->privileged.xsave || subleaf > 1)
		return (struct cpuid){ 0, 0, 0, 0 };
	return subleaf ? (struct cpuid){ .eax = 3 }
		       : (struct cpuid){ .eax = 3, .ebx = 576, .ecx = 576 };
}

static uint32_t last_leaf(const struct cpu *c)
{
	if (c->privileged.xsave)
		return 0xd;
	return c->counters == COUNTERS_ALL && !cpu_is_amd(c) ? 0xa : 7;
}

static struct cpuid extended(const struct cpu *c, uint32_t leaf, uint32_t subleaf)
{
	switch (leaf) {
	case 0x80000000:
		return vendor(c->vendor, cpu_is_amd(c) ? 0x8000001e : 0x80000008);
	case 0x80000001:
		return extended_features(c);
	case 0x80000002:
	case 0x80000003:
	case 0x80000004:
		return text(c->brand + 16 * (leaf - 0x80000002));
	case 0x80000007:
		return (struct cpuid){ .edx = c->tsc_invariant ? BIT(8) : 0 };
	case 0x80000008:
		return (struct cpuid){ .eax = 48 << 8 | 46, .ecx = (uint32_t)c->threads - 1 };
	case 0x8000001d:
		return cpu_is_amd(c) ? cache_leaf(c, subleaf) : (struct cpuid){ 0, 0, 0, 0 };
	case 0x8000001e:
		return (struct cpuid){ .ebx = (uint32_t)(c->threads - 1) << 8 };
	}
	return (struct cpuid){ 0, 0, 0, 0 };
}

struct cpuid cpuid_of(const struct cpu *c, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid hypervisor;

	switch (leaf) {
	case 0:
		return vendor(c->vendor, last_leaf(c));
	case 1:
		return features(c);
	case 4:
		return cpu_is_amd(c) ? (struct cpuid){ 0, 0, 0, 0 } : cache_leaf(c, subleaf);
	case 5:
		return mwait_leaf(c);
	case 6:
		return (struct cpuid){ .ecx = c->counters == COUNTERS_APERF };
	case 7:
		return (struct cpuid){ .ebx = *c->skew.adjust ? BIT(1) : 0 };
	case 0xa:
		return counter_leaf(c);
	case 0xd:
		return state_leaf(c, subleaf);
	case 0x40000000:
		hypervisor.eax = 0x40000010;
		memcpy(&hypervisor.ebx, "known-answer", 12);
		return hypervisor;
	case 0x40000010:
		return (struct cpuid){ .eax = (uint32_t)(c->tsc_hz / 1000) };
	}
	return leaf >= 0x80000000 ? extended(c, leaf, subleaf) : (struct cpuid){ 0, 0, 0, 0 };
}
