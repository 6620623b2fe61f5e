/* SPDX-License-Identifier: MIT */
#include "lib/published.h"

#include <string.h>

#define K          1024.0
#define M          (1024 * K)
#define ANY        0xff
#define PERFORMING 0x40 /* CPUID 1Ah: Intel Core, of a hybrid processor */
#define EFFICIENT  0x20 /* Intel Atom */

/*
 * Where the figures stand. "LLVM" is its scheduling models, "jia.je" a reader's notes: both quote
 * the makers' manuals, the notes also who measured it.
 */
#define CPU7_ZEN2  "7-cpu.com, Zen2"
#define LLVM_ZEN2  "LLVM, X86ScheduleZnver2.td"
#define JIA_ZEN2   "AMD 56305; Chips and Cheese; by jia.je, Zen 2"
#define BTB_ZEN2   "AMD 56305; jia.je, AMD Zen 2 BTB"
#define CHIP_ZEN2  "WikiChip, Zen 2, by azhirnov, cpu-gpu-arch"
#define AMD_ZEN3   "AMD 56665, by LLVM, X86ScheduleZnver3.td"
#define JIA_ZEN3   "AMD 56665; Chips and Cheese; by jia.je, Zen 3"
#define BTB_ZEN3   "AMD 56665; jia.je, AMD Zen 3 BTB"
#define AMD_ZEN4   "AMD 57647, by LLVM, X86ScheduleZnver4.td"
#define JIA_ZEN4   "AMD 57647; Chips and Cheese; by jia.je, Zen 4"
#define CHEESE_Z4F "Chips and Cheese, Zen 4 Part 1: Frontend"
#define CHEESE_Z4  "Chips and Cheese, Zen 4 Part 2: Memory Subsystem"
#define AMD_ZEN5   "AMD 58455, by LLVM, X86ScheduleZnver5.td"
#define JIA_ZEN5   "AMD 58455, by jia.je, AMD Zen 5"
#define HOT_ZEN5   "Hot Chips 2024, Next Generation Zen 5 Core"
#define CHIP_SKL   "WikiChip, Skylake (client)"
#define JIA_SKL    "WikiChip, by jia.je, Skylake"
#define CHEESE_SKL "Chips and Cheese, Skylake: Intel's Longest Serving Architecture"
#define INTEL_SKL  "Intel 248966, Skylake Client"
#define INTEL_SKX  "Intel 248966, Skylake Server, by jia.je, Skylake"
#define ANAND_SKX  "AnandTech 11550, Skylake-X"
#define ANAND_SNC  "AnandTech 14664, Ice Lake"
#define CHEESE_SNC "Chips and Cheese, Sunny Cove: Intel's Lost Generation"
#define JIA_SNC    "Intel; Chips and Cheese; by jia.je, Sunny Cove"
#define INTEL_GLC  "Intel 248966, by jia.je, Golden Cove"
#define JIA_GLC    "Intel; Chips and Cheese; by jia.je, Golden Cove"
#define BOOK_GLC   "Bakhvalov, Performance Analysis and Tuning, 2nd ed., 3.8"
#define INTEL_GRT  "Intel 248966, by jia.je, Gracemont"
#define CHEESE_GRT "Chips and Cheese, Gracemont: Revenge of the Atom Cores"
#define JIA_GRT    "Chips and Cheese, by jia.je, Gracemont"

#define FACT(name, x, source)                                                                      \
	{                                                                                          \
		VALUE_##name, x, x, source                                                         \
	}
/* Two figures: of two sources, or of what is measured under two conditions. */
#define FROM_TO(name, low, high, source)                                                           \
	{                                                                                          \
		VALUE_##name, low, high, source                                                    \
	}
/* A register file: as many can be renamed, less those that hold the program's state. */
#define FILE_OF(name, n, source)                                                                   \
	{                                                                                          \
		VALUE_##name, 0, n, source                                                         \
	}

static const struct published_fact zen2[] = {
	FACT(l1d_bytes, 32 * K, CPU7_ZEN2),
	FACT(l1d_latency_cycles, 4, LLVM_ZEN2),
	FACT(l2_bytes, 512 * K, CPU7_ZEN2),
	FACT(l3_latency_cycles, 39, CHIP_ZEN2),
	FACT(dtlb_4k_entries, 64, JIA_ZEN2),
	FACT(stlb_entries, 2048, JIA_ZEN2),
	FACT(window_instructions, 224, CPU7_ZEN2),
	FILE_OF(integers_in_flight, 180, CPU7_ZEN2),
	FILE_OF(vectors_in_flight, 160, JIA_ZEN2),
	FACT(loads_in_flight, 116, JIA_ZEN2),
	FACT(stores_in_flight, 48, CPU7_ZEN2),
	FROM_TO(branch_targets, 4096, 7168, BTB_ZEN2), /* jumps; pairs of branches */
	FROM_TO(return_stack, 31, 32, CPU7_ZEN2 "; AMD 56305, by jia.je, Zen 2"),
};

static const struct published_fact zen3[] = {
	FACT(l1d_bytes, 32 * K, JIA_ZEN3),
	FACT(l1d_latency_cycles, 4, AMD_ZEN3),
	FACT(l2_bytes, 512 * K, JIA_ZEN3),
	FACT(l2_latency_cycles, 12, JIA_ZEN3),
	FACT(l3_latency_cycles, 46, JIA_ZEN3),
	FACT(dtlb_4k_entries, 64, JIA_ZEN3),
	FACT(stlb_entries, 2048, JIA_ZEN3),
	FACT(window_instructions, 256, AMD_ZEN3),
	FILE_OF(integers_in_flight, 192, AMD_ZEN3),
	FILE_OF(vectors_in_flight, 160, JIA_ZEN3),
	FACT(loads_in_flight, 116, JIA_ZEN3),
	FACT(stores_in_flight, 64, AMD_ZEN3),
	FROM_TO(branch_targets, 5120, 6656, BTB_ZEN3), /* jumps; pairs of branches */
	FACT(return_stack, 32, JIA_ZEN3),
	FACT(issue_width, 6, AMD_ZEN3),
};

static const struct published_fact zen4[] = {
	FACT(l1d_bytes, 32 * K, JIA_ZEN4),
	FACT(l1d_latency_cycles, 4, AMD_ZEN4),
	FACT(l2_bytes, 1 * M, CHEESE_Z4),
	FACT(l2_latency_cycles, 14, CHEESE_Z4),
	FACT(l3_latency_cycles, 50, JIA_ZEN4),
	FACT(dtlb_4k_entries, 72, CHEESE_Z4),
	FACT(stlb_entries, 3072, CHEESE_Z4),
	FACT(window_instructions, 320, AMD_ZEN4),
	FILE_OF(integers_in_flight, 224, AMD_ZEN4),
	FILE_OF(vectors_in_flight, 192, JIA_ZEN4),
	FACT(loads_in_flight, 136, CHEESE_Z4),
	FACT(stores_in_flight, 64, AMD_ZEN4),
	FROM_TO(branch_targets, 7680, 8192, JIA_ZEN4 "; " CHEESE_Z4F),
	FACT(return_stack, 32, CHEESE_Z4F),
	FROM_TO(issue_width, 6, 12, AMD_ZEN4 "; of no-operations: " CHEESE_Z4F),
};

static const struct published_fact zen5[] = {
	FACT(l1d_bytes, 48 * K, HOT_ZEN5),
	FACT(l1d_latency_cycles, 4, AMD_ZEN5),
	FACT(l2_bytes, 1 * M, HOT_ZEN5),
	FACT(l2_latency_cycles, 14, JIA_ZEN5),
	FACT(dtlb_4k_entries, 96, HOT_ZEN5),
	FACT(stlb_entries, 4096, HOT_ZEN5),
	FACT(window_instructions, 448, AMD_ZEN5),
	FILE_OF(integers_in_flight, 200, JIA_ZEN5), /* 240, of which 40 a thread hold its state */
	FILE_OF(vectors_in_flight, 384 + 96, JIA_ZEN5), /* 96 operations wait before renaming */
	FACT(stores_in_flight, 104, AMD_ZEN5),
	FACT(branch_targets, 24 * K, JIA_ZEN5),
	FACT(return_stack, 52, JIA_ZEN5),
	FACT(issue_width, 8, AMD_ZEN5),
};

#define SKYLAKE_CORE                                                                               \
	FACT(l1d_bytes, 32 * K, CHIP_SKL), FACT(l1d_latency_cycles, 4, INTEL_SKL),                 \
		FACT(dtlb_4k_entries, 64, ANAND_SKX), FACT(stlb_entries, 1536, ANAND_SKX),         \
		FACT(window_instructions, 224, CHIP_SKL),                                          \
		FILE_OF(integers_in_flight, 180, CHIP_SKL),                                        \
		FILE_OF(vectors_in_flight, 168, JIA_SKL), FACT(loads_in_flight, 72, JIA_SKL),      \
		FACT(stores_in_flight, 56, CHIP_SKL), FACT(branch_targets, 4096, CHEESE_SKL),      \
		FACT(issue_width, 4, CHEESE_SKL)

static const struct published_fact skylake[] = {
	SKYLAKE_CORE,
	FACT(l2_bytes, 256 * K, CHIP_SKL),
	FACT(l2_latency_cycles, 12, INTEL_SKL),
	FACT(l3_latency_cycles, 44, INTEL_SKL),
};

static const struct published_fact skylake_sp[] = {
	SKYLAKE_CORE,
	FACT(l2_bytes, 1 * M, INTEL_SKX),
	FACT(l2_latency_cycles, 14, INTEL_SKX),
};

#define SUNNY_COVE_CORE                                                                            \
	FACT(l1d_bytes, 48 * K, ANAND_SNC), FACT(l1d_latency_cycles, 5, CHEESE_SNC),               \
		FACT(dtlb_4k_entries, 64, JIA_SNC), FACT(stlb_entries, 2048, JIA_SNC),             \
		FACT(window_instructions, 352, JIA_SNC),                                           \
		FILE_OF(integers_in_flight, 280, JIA_SNC),                                         \
		FILE_OF(vectors_in_flight, 224, JIA_SNC), FACT(loads_in_flight, 128, JIA_SNC),     \
		FACT(stores_in_flight, 72, JIA_SNC), FACT(branch_targets, 5 * K, CHEESE_SNC),      \
		FACT(return_stack, 22, JIA_SNC), FACT(issue_width, 5, CHEESE_SNC)

static const struct published_fact sunny_cove[] = {
	SUNNY_COVE_CORE,
	FACT(l2_bytes, 512 * K, ANAND_SNC),
	FACT(l2_latency_cycles, 13, JIA_SNC),
};

static const struct published_fact sunny_cove_sp[] = {
	SUNNY_COVE_CORE,
};

#define GOLDEN_COVE_CORE                                                                           \
	FACT(l1d_bytes, 48 * K, INTEL_GLC), FACT(l1d_latency_cycles, 5, INTEL_GLC),                \
		FACT(l2_latency_cycles, 15, INTEL_GLC), FACT(dtlb_4k_entries, 96, INTEL_GLC),      \
		FACT(dtlb_2m_entries, 32, INTEL_GLC), FACT(stlb_entries, 2048, INTEL_GLC),         \
		FACT(window_instructions, 512, INTEL_GLC),                                         \
		FILE_OF(integers_in_flight, 288, JIA_GLC),                                         \
		FILE_OF(vectors_in_flight, 332, JIA_GLC),                                          \
		FILE_OF(wide_vectors_in_flight, 220, JIA_GLC),                                     \
		FROM_TO(loads_in_flight, 192, 240, JIA_GLC),                                       \
		FROM_TO(stores_in_flight, 112, 114, JIA_GLC),                                      \
		FACT(branch_targets, 12 * K, BOOK_GLC), FACT(issue_width, 6, INTEL_GLC)

static const struct published_fact golden_cove[] = {
	GOLDEN_COVE_CORE,
	FACT(l2_bytes, 1.25 * M, INTEL_GLC),
};

static const struct published_fact golden_cove_sp[] = {
	GOLDEN_COVE_CORE,
	FACT(l2_bytes, 2 * M, INTEL_GLC),
};

static const struct published_fact gracemont[] = {
	FACT(l1d_bytes, 32 * K, INTEL_GRT),
	FROM_TO(l1d_latency_cycles, 3, 4, INTEL_GRT),
	FROM_TO(l2_bytes, 2 * M, 4 * M, INTEL_GRT),
	FACT(l2_latency_cycles, 17, INTEL_GRT),
	FROM_TO(dtlb_4k_entries, 32, 48, INTEL_GRT "; " CHEESE_GRT),
	FACT(stlb_entries, 2048, INTEL_GRT),
	FACT(window_instructions, 256, INTEL_GRT),
	FILE_OF(integers_in_flight, 214, JIA_GRT),
	FILE_OF(vectors_in_flight, 207, CHEESE_GRT),
	FACT(loads_in_flight, 80, JIA_GRT),
	FACT(stores_in_flight, 50, JIA_GRT),
	FACT(branch_targets, 5 * K, CHEESE_GRT),
	FACT(issue_width, 5, INTEL_GRT),
};

#define CORE(key, name, facts)                                                                     \
	{                                                                                          \
		key, name, facts, sizeof facts / sizeof *facts                                     \
	}

enum {
	ZEN2,
	ZEN3,
	ZEN4,
	ZEN5,
	SKYLAKE,
	SKYLAKE_SP,
	SUNNY_COVE,
	SUNNY_COVE_SP,
	GOLDEN_COVE,
	GOLDEN_COVE_SP,
	GRACEMONT
};

static const struct published_core cores[] = {
	[ZEN2] = CORE("zen2", "Zen 2", zen2),
	[ZEN3] = CORE("zen3", "Zen 3", zen3),
	[ZEN4] = CORE("zen4", "Zen 4", zen4),
	[ZEN5] = CORE("zen5", "Zen 5", zen5),
	[SKYLAKE] = CORE("skylake", "Skylake", skylake),
	[SKYLAKE_SP] = CORE("skylake-sp", "Skylake-SP", skylake_sp),
	[SUNNY_COVE] = CORE("sunny-cove", "Sunny Cove", sunny_cove),
	[SUNNY_COVE_SP] = CORE("sunny-cove-sp", "Ice Lake-SP", sunny_cove_sp),
	[GOLDEN_COVE] = CORE("golden-cove", "Golden Cove", golden_cove),
	[GOLDEN_COVE_SP] = CORE("golden-cove-sp", "Sapphire Rapids", golden_cove_sp),
	[GRACEMONT] = CORE("gracemont", "Gracemont", gracemont),
};

#define CORES (sizeof cores / sizeof *cores)

/* Linux has these ranges: bsp_init_amd of arch/x86/kernel/cpu/amd.c, and asm/intel-family.h. */
static const struct {
	const char *vendor;
	unsigned char family, first, last, core_type, core;
} models[] = {
	{ "AuthenticAMD", 0x17, 0x30, 0x4f, ANY, ZEN2 },
	{ "AuthenticAMD", 0x17, 0x60, 0x7f, ANY, ZEN2 },
	{ "AuthenticAMD", 0x17, 0x90, 0x91, ANY, ZEN2 },
	{ "AuthenticAMD", 0x17, 0xa0, 0xaf, ANY, ZEN2 },
	{ "AuthenticAMD", 0x19, 0x00, 0x0f, ANY, ZEN3 },
	{ "AuthenticAMD", 0x19, 0x20, 0x5f, ANY, ZEN3 },
	{ "AuthenticAMD", 0x19, 0x10, 0x1f, ANY, ZEN4 },
	{ "AuthenticAMD", 0x19, 0x60, 0xaf, ANY, ZEN4 },
	{ "AuthenticAMD", 0x1a, 0x00, 0x2f, ANY, ZEN5 },
	{ "AuthenticAMD", 0x1a, 0x40, 0x4f, ANY, ZEN5 },
	{ "AuthenticAMD", 0x1a, 0x60, 0x7f, ANY, ZEN5 },
	{ "GenuineIntel", 6, 0x4e, 0x4e, ANY, SKYLAKE },
	{ "GenuineIntel", 6, 0x5e, 0x5e, ANY, SKYLAKE },
	{ "GenuineIntel", 6, 0x8e, 0x8e, ANY, SKYLAKE },
	{ "GenuineIntel", 6, 0x9e, 0x9e, ANY, SKYLAKE },
	{ "GenuineIntel", 6, 0xa5, 0xa6, ANY, SKYLAKE },
	{ "GenuineIntel", 6, 0x55, 0x55, ANY, SKYLAKE_SP },
	{ "GenuineIntel", 6, 0x7d, 0x7e, ANY, SUNNY_COVE },
	{ "GenuineIntel", 6, 0x6a, 0x6a, ANY, SUNNY_COVE_SP },
	{ "GenuineIntel", 6, 0x6c, 0x6c, ANY, SUNNY_COVE_SP },
	{ "GenuineIntel", 6, 0x97, 0x97, PERFORMING, GOLDEN_COVE },
	{ "GenuineIntel", 6, 0x9a, 0x9a, PERFORMING, GOLDEN_COVE },
	{ "GenuineIntel", 6, 0x97, 0x97, EFFICIENT, GRACEMONT },
	{ "GenuineIntel", 6, 0x9a, 0x9a, EFFICIENT, GRACEMONT },
	{ "GenuineIntel", 6, 0xbe, 0xbe, ANY, GRACEMONT },
	{ "GenuineIntel", 6, 0x8f, 0x8f, ANY, GOLDEN_COVE_SP },
};

const struct published_core *published_core_of(const char *vendor, double family, double model,
	double core_type)
{
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (!strcmp(vendor, models[i].vendor) && family == models[i].family &&
			model >= models[i].first && model <= models[i].last &&
			(models[i].core_type == ANY || core_type == models[i].core_type))
			return &cores[models[i].core];
	return NULL;
}

const struct published_core *published_core_named(const char *key)
{
	for (size_t i = 0; i < CORES; i++)
		if (!strcmp(key, cores[i].key))
			return &cores[i];
	return NULL;
}

const struct published_core *published_core_at(size_t i)
{
	return i < CORES ? &cores[i] : NULL;
}
