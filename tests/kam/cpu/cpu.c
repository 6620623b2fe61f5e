/* SPDX-License-Identifier: MIT */
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/settings.h"
#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/under_system.h"

#define AT(member) offsetof(struct cpu, member)
#define SIZE(name, member, initial, help)                                                          \
	{                                                                                          \
		name, help, SETTING_SIZE, AT(member), 0, 1ull << 40, NULL, NULL, initial, NULL     \
	}
#define NUMBER(name, member, least, most, initial, help)                                           \
	{                                                                                          \
		name, help, SETTING_NUMBER, AT(member), least, most, NULL, NULL, initial, NULL     \
	}
#define CHOICE(name, member, choices, initial, help)                                               \
	{                                                                                          \
		name, help, SETTING_CHOICE, AT(member), 0, 0, choices, NULL, initial, NULL         \
	}
#define TEXT(name, member, most, initial, help)                                                    \
	{                                                                                          \
		name, help, SETTING_TEXT, AT(member), 0, most, NULL, NULL, initial, NULL           \
	}
#define CLAIM(name, member, help)                                                                  \
	{                                                                                          \
		name, help, SETTING_SIZE, AT(claims.member), 0, UINT64_MAX, NULL, NULL, TRUTH,     \
			NULL                                                                       \
	}
#define TRUTH    "0xffffffffffffffff"
#define POLICIES "lru|random|plru"
#define HASHES   "none|xor|slices"

static const struct setting settings[] = {
	TEXT("core.name", name, 63, "default", "what the machine is called in the report"),
	NUMBER("core.hz", hz, 1, 100000000000, "3000000000", "core clock"),
	NUMBER("core.width", width, 1, 64, "4", "instructions that enter, and retire, per cycle"),
	NUMBER("core.window", window, 1, 4096, "224", "instructions in flight, retired in order"),
	NUMBER("core.loads", loads, 1, 16, "2", "loads started per cycle"),
	NUMBER("core.stores", stores, 1, 16, "1", "stores started per cycle"),
	NUMBER("core.alus", alus, 1, 64, "4", "arithmetic instructions started per cycle"),
	NUMBER("core.store_buffer", store_buffer, 1, 1024, "56", "stores not yet in L1"),
	NUMBER("core.multiply", multiply, 1, 100, "3", "cycles, integer multiply"),
	NUMBER("core.multipliers", multipliers, 1, 16, "1", "integer multiplies started per cycle"),
	NUMBER("core.divide", divide, 1, 200, "26", "cycles, integer divide, one at a time"),
	NUMBER("core.fp_add", fp_add, 1, 100, "4", "cycles, floating-point add"),
	NUMBER("core.fp_multiply", fp_multiply, 1, 100, "4", "cycles, floating-point multiply"),
	NUMBER("core.forward", forward, 1, 100, "5", "cycles, store to load of the same word"),
	NUMBER("core.partial", partial, 0, 100, "0",
		"cycles that a load takes which needs more than one store, or more than it holds, "
		"after the last one is in L1, 0: as forward"),
	NUMBER("core.alias", alias, 0, 100, "0",
		"cycles after which a load starts again whose low 12 bits are those of a store not "
		"in "
		"L1, 0: it does not"),
	NUMBER("core.indexed", indexed, 0, 10, "1", "cycles more for base + index addresses"),
	NUMBER("core.fence", fence, 0, 1000, "4", "cycles of an lfence or mfence by itself"),
	CHOICE("core.fold", fold, "no|yes", "no",
		"adding a small constant is done at rename, in no time"),
	CHOICE("core.moves", moves, "no|yes", "no", "copying a register likewise"),
	NUMBER("core.threads", threads, 1, 2, "1",
		"threads of a core, as CPUID says; with 2, --cpus are threads"),
	CHOICE("core.sibling", sibling, "none|halted|pause", "none",
		"how the other thread waits; in layer b that is the image's doing, and this what "
		"it must come to"),
	NUMBER("forwarding.whole", forwarding.whole, 0, 1000, "0",
		"tenths of a cycle, as all others of this section: store to load, 0: core.forward"),
	NUMBER("forwarding.part", forwarding.part, 0, 1000, "0",
		"more where the load does not begin with the store"),
	NUMBER("forwarding.wide", forwarding.wide, 0, 1000, "0", "more for 16 bytes and more"),
	NUMBER("forwarding.line", forwarding.line, 0, 1000, "0", "more where both cross a line"),
	NUMBER("forwarding.page", forwarding.page, 0, 1000, "0",
		"more where both cross 4 KiB, instead of line"),
	CHOICE("forwarding.renames", forwarding.renames, "no|yes", "no",
		"a load of what was stored by the same register and displacement is done at "
		"rename"),
	NUMBER("forwarding.renamed", forwarding.renamed, 0, 1000, "0", "what that takes"),
	NUMBER("forwarding.failed", forwarding.failed, 0, 1000, "0",
		"core.partial in tenths, 0: as that says"),
	NUMBER("split.load_line", split.load_line, 0, 1000, "0",
		"cycles more of a load across a line"),
	NUMBER("split.load_page", split.load_page, 0, 1000, "0",
		"of a load across 4 KiB, instead of load_line"),
	NUMBER("split.store_line", split.store_line, 0, 1000, "0",
		"cycles more until a store across a line is in L1"),
	NUMBER("split.store_page", split.store_page, 0, 1000, "0",
		"of a store across 4 KiB, instead of store_line"),
	SIZE("line.bytes", line, "64", "cache line"),
	SIZE("l1.bytes", level[0].bytes, "32k", "L1 data cache"),
	NUMBER("l1.ways", level[0].ways, 1, 64, "8", "associativity"),
	NUMBER("l1.latency", level[0].latency, 1, 100, "4", "cycles, load to use"),
	CHOICE("l1.policy", level[0].policy, POLICIES, "lru", "replacement"),
	NUMBER("l1.buffers", level[0].buffers, 1, 255, "10", "misses in flight"),
	NUMBER("l1.banks", banks, 1, BANKS_MOST, "1",
		"of the buffers, by the low bits of the line: a power of two"),
	SIZE("l2.bytes", level[1].bytes, "256k", "L2"),
	NUMBER("l2.ways", level[1].ways, 1, 64, "8", "associativity"),
	NUMBER("l2.latency", level[1].latency, 1, 1000, "14", "cycles, load to use"),
	CHOICE("l2.policy", level[1].policy, POLICIES, "lru", "replacement"),
	CHOICE("l2.hash", level[1].hash, HASHES, "none", "how a line chooses its set"),
	NUMBER("l2.slices", level[1].slices, 1, 256, "1", "where it is by slices"),
	NUMBER("l2.buffers", level[1].buffers, 0, 255, "0", "misses in flight, 0: not limited"),
	NUMBER("l2.fill_bytes", level[1].fill_bytes, 1, 1024, "64", "bytes per cycle, L2 to L1"),
	SIZE("l3.bytes", level[2].bytes, "2m", "L3, 0: none"),
	NUMBER("l3.ways", level[2].ways, 1, 64, "16", "associativity"),
	NUMBER("l3.latency", level[2].latency, 1, 1000, "42", "cycles, load to use"),
	CHOICE("l3.policy", level[2].policy, POLICIES, "lru", "replacement"),
	CHOICE("l3.hash", level[2].hash, HASHES, "none", "how a line chooses its set"),
	NUMBER("l3.slices", level[2].slices, 1, 256, "1", "where it is by slices"),
	CHOICE("l3.victim", level[2].victim, "no|yes", "no",
		"the last level: holds only what the one above gave up"),
	NUMBER("l3.fill_bytes", level[2].fill_bytes, 1, 1024, "32", "bytes per cycle, L3 to L2"),
	SIZE("l4.bytes", level[3].bytes, "0", "L4, 0: none"),
	NUMBER("l4.ways", level[3].ways, 1, 64, "16", "associativity"),
	NUMBER("l4.latency", level[3].latency, 1, 1000, "80", "cycles, load to use"),
	CHOICE("l4.policy", level[3].policy, POLICIES, "lru", "replacement"),
	CHOICE("l4.hash", level[3].hash, HASHES, "none", "how a line chooses its set"),
	NUMBER("l4.slices", level[3].slices, 1, 256, "1", "where it is by slices"),
	CHOICE("l4.victim", level[3].victim, "no|yes", "no",
		"the last level: holds only what the one above gave up"),
	NUMBER("l4.fill_bytes", level[3].fill_bytes, 1, 1024, "32", "bytes per cycle, L4 to L3"),
	NUMBER("memory.latency", memory_latency, 1, 2000, "200", "cycles, load to use"),
	NUMBER("memory.gap", memory_gap, 1, 1000, "8", "cycles per line: the bandwidth"),
	NUMBER("memory.nt_gap", memory_nt_gap, 0, 1000, "0",
		"cycles per line of non-temporal stores, 0: as gap"),
	SIZE("memory.row_bytes", row_bytes, "0", "a bank keeps so much open, 0: does not matter"),
	NUMBER("memory.row_hit", row_hit, 0, 1000, "40", "cycles less where the row is open"),
	NUMBER("memory.row_banks", row_banks, 1, DRAM_BANKS_MOST, "16", "rows open at once"),
	NUMBER("memory.refresh_every", refresh_every, 0, 1 << 30, "0",
		"core cycles from one refresh to the next, 0: none"),
	NUMBER("memory.refresh", refresh, 0, 100000, "0", "core cycles that one takes"),
	SIZE("memory.arena", memory_bytes, "20m", "memory that is measured"),
	SIZE("memory.reach", memory_reach, "4g",
		"where `tlb` may touch single pages; 4g: an arena of rooms firmware and bare"),
	NUMBER("cpus.count", cpus, 1, CORES_MOST, "1", "cores, all alike"),
	NUMBER("cpus.l3_domains", l3_domains, 1, CORES_MOST, "1", "last caches, each of l3.bytes"),
	NUMBER("cpus.transfer", transfer, 1, 10000, "90",
		"cycles to take a line from another core, of the same last cache"),
	NUMBER("cpus.transfer_far", transfer_far, 1, 10000, "200", "likewise, of another one"),
	NUMBER("cpus.transfer_node", transfer_node, 1, 10000, "350", "likewise, of another node"),
	CHOICE("cpus.home", home, "no|yes", "no",
		"a transfer goes by the last cache of whoever wrote the line first"),
	NUMBER("cpus.home_cost", home_cost, 0, 10000, "100", "cycles more where that is neither's"),
	NUMBER("nodes.count", nodes, 1, NODES_MOST, "1", "nodes of memory, each of memory.gap"),
	NUMBER("nodes.remote_latency", remote_latency, 0, 10000, "120",
		"cycles more for memory of another node"),
	NUMBER("nodes.link_gap", link_gap, 0, 1000, "0",
		"cycles per line from one node to another, 0: not limited"),
	NUMBER("nodes.arena", arena_node, 0, NODES_MOST - 1, "0", "where the arena is"),
	SIZE("nodes.part", part_bytes, "16m", "memory that a node gives beside the arena"),
	NUMBER("tlb.dtlb_4k", dtlb_4k, 1, 4096, "64", "first level, 4 KiB pages"),
	NUMBER("tlb.dtlb_2m", dtlb_2m, 1, 4096, "32", "first level, 2 MiB pages"),
	NUMBER("tlb.dtlb_1g", dtlb_1g, 1, 4096, "4", "first level, 1 GiB pages"),
	NUMBER("tlb.dtlb_ways", dtlb_ways, 0, 64, "4",
		"associativity, 0: full; of large pages also where it does not divide their "
		"entries"),
	NUMBER("tlb.stlb", stlb, 1, 65536, "1536", "second level, 4 KiB and 2 MiB pages"),
	NUMBER("tlb.stlb_ways", stlb_ways, 0, 64, "12", "associativity, 0: full"),
	NUMBER("tlb.stlb_1g", stlb_1g, 1, 4096, "16", "second level, 1 GiB pages"),
	NUMBER("tlb.stlb_latency", stlb_latency, 0, 100, "7", "cycles more for a second-level hit"),
	NUMBER("tlb.walk", walk, 1, 1000, "30", "cycles more when both levels miss"),
	NUMBER("tlb.walkers", walkers, 1, 255, "2", "walks in flight"),
	CHOICE("tlb.dtlb_shared", dtlb_shared, "no|yes", "no",
		"dtlb_4k entries hold pages of every size"),
	NUMBER("tlb.stlb_2m", stlb_2m, 0, 65536, "0",
		"second level, 2 MiB pages alone, 0: those of 4 KiB pages"),
	NUMBER("tlb.coalesce", coalesce, 1, 16, "1",
		"4 KiB pages in a row, aligned, that one entry holds: a power of two"),
	NUMBER("tlb.upper", upper, 0, 4096, "0",
		"upper table entries held: of 2 MiB for 4 KiB pages, 0: all"),
	NUMBER("tlb.walk_upper", walk_upper, 0, 1000, "0",
		"cycles more of a walk that has no upper entry"),
	CHOICE("tlb.walk_loads", walk_loads, "no|yes", "no",
		"walks load entries through the caches: `walk` is with those in L1"),
	NUMBER("tlb.huge", huge, 0, 1, "1", "1 GiB pages exist"),
	NUMBER("walks.read", walks.read, 0, 100, "0",
		"cycles of each entry of a table that a walk reads, beside tlb.walk and the load "
		"of "
		"its line; 0: none is read"),
	NUMBER("walks.pde", walks.pde, 0, 4096, "0",
		"entries of page directories that are held apart, 0: none"),
	NUMBER("walks.pdpte", walks.pdpte, 0, 4096, "0", "likewise of the tables above"),
	NUMBER("walks.pml4e", walks.pml4e, 0, 4096, "0", "likewise of the first table"),
	NUMBER("itlb.entries", itlb.entries, 0, 4096, "0",
		"pages of 4 KiB of code, replaced by LRU; 0: as many as there are"),
	NUMBER("itlb.miss", itlb.miss, 0, 1000, "0",
		"cycles that the front end waits for another one"),
	CHOICE("branch.predictor", predictor, "never|bimodal|history|tagged|perfect", "history",
		"never: the front end waits for every branch; tagged: six tables by longer and "
		"longer history"),
	NUMBER("branch.capacity", capacity, 1, 1 << 24, "8192",
		"outcomes that history remembers; entries of the tables of tagged"),
	NUMBER("branch.penalty", penalty, 0, 200, "15", "cycles from resolved to refilled"),
	NUMBER("branch.targets", targets, 1, 1 << 20, "4096", "taken branches with known targets"),
	NUMBER("branch.target_miss", target_miss, 0, 100, "8", "cycles for an unknown target"),
	NUMBER("branch.targets_2", targets_2, 0, 1 << 20, "0",
		"more of them, in a second level: those that the first one gave up"),
	NUMBER("branch.target_2", target_2, 1, 100, "2", "cycles for one that it has"),
	NUMBER("branch.target_near", target_near, 0, 4096, "0",
		"bytes: an unknown target so little ahead costs nothing: it is fetched anyway"),
	NUMBER("branch.returns", returns, 1, 256, "16", "depth of the return stack"),
	NUMBER("indirect.entries", indirect.entries, 0, 1 << 20, "0",
		"targets by the past that are known, 0: each indirect jump goes where it went "
		"last"),
	NUMBER("indirect.history", indirect.history, 1, 512, "16",
		"targets of indirect jumps, calls and returns that the past has"),
	NUMBER("indirect.more", indirect.more, 0, 200, "0",
		"cycles beside branch.penalty of an indirect jump or call that is mispredicted"),
	CHOICE("indirect.beyond", indirect.beyond, "circular|wrong|indirect", "circular",
		"returns of more calls than branch.returns: circular: the last so many are right; "
		"wrong: none; indirect: the others by the past, if there are entries"),
	CHOICE("prefetch.stream", stream, "off|on|aggressive", "off", "streams, within 4 KiB"),
	NUMBER("prefetch.streams", streams, 1, 32, "32",
		"pages whose streams are followed at once"),
	CHOICE("prefetch.adjacent", adjacent, "no|yes", "no", "the other line of a pair comes too"),
	CHOICE("prefetch.next_page", next_page, "no|yes", "no",
		"streams go on in the next page, translation included"),
	NUMBER("prefetch.ip_stride", ip_stride, 0, 65536, "0",
		"bytes, the longest step of one load instruction that is followed into L1"),
	NUMBER("prefetch.ip_sure", ip_sure, 1, 16, "2", "equal steps in a row before it is"),
	NUMBER("prefetch.ip_ahead", ip_ahead, 1, 64, "1", "steps ahead of the load"),
	CHOICE("prefetch.ip_pages", ip_pages, "no|yes", "no", "also into another 4 KiB page"),
	NUMBER("neighbour.period_us", period_us, 0, 1000000000, "0",
		"us, after which it comes again, 0: there is none"),
	NUMBER("neighbour.share", period_share, 1, 99, "50", "per cent of the time it is there"),
	NUMBER("neighbour.l1_ways", taken_l1, 0, 63, "0", "of each set that it has then"),
	NUMBER("neighbour.l2_ways", taken_l2, 0, 63, "0", "likewise"),
	NUMBER("neighbour.l3_ways", taken_l3, 0, 63, "0", "likewise"),
	NUMBER("neighbour.dtlb_ways", taken_dtlb, 0, 4095, "0",
		"likewise, of the first level's tables; entries, where they have one set"),
	NUMBER("neighbour.stlb_ways", taken_stlb, 0, 65535, "0", "likewise, second level"),
	NUMBER("clock.hz_start", hz_start, 0, 100000000000, "0",
		"core clock at first, 0: core.hz from the start"),
	NUMBER("clock.ramp_us", ramp_us, 1, 1000000, "1000", "us of work until it is core.hz"),
	NUMBER("clock.steps", ramp_steps, 1, 1000, "1", "in so many steps"),
	NUMBER("clock.idle_us", idle_us, 0, 1000000, "0",
		"us of idling after which it begins anew, 0: never"),
	NUMBER("tsc.hz", tsc_hz, 1, 100000000000, "2500000000", "rate of the counter"),
	NUMBER("tsc.step", tsc_step, 1, 1000, "1", "it advances by so many ticks at a time"),
	NUMBER("tsc.jitter", tsc_jitter, 0, 10, "0",
		"one reading of 64 is so many ticks short of a step"),
	NUMBER("tsc.cycles", tsc_cycles, 0, 1000, "20", "core cycles to read it"),
	NUMBER("tsc.cpuid", cpuid_cycles, 0, 10000, "100", "core cycles of a cpuid"),
	CHOICE("tsc.rdtscp", rdtscp, "no|yes", "yes", "RDTSCP exists"),
	TEXT("skew.ticks", skew.ticks, 127, "",
		"what the counter of each core is ahead of the first one's, which has 0"),
	TEXT("skew.ppb", skew.ppb, 127, "", "by how much more it rises, of 10^9; the first: 0"),
	TEXT("skew.adjust", skew.adjust, 255, "",
		"MSR 3Bh of each core, in layer b; \"\": there is none"),
	NUMBER("privileged.cr3", privileged.cr3, 1, 100000, "207",
		"core cycles to write CR3, as all others of this section by itself"),
	NUMBER("privileged.invlpg", privileged.invlpg, 1, 100000, "143", "of an INVLPG"),
	NUMBER("privileged.rdmsr", privileged.rdmsr, 1, 100000, "91", "of an RDMSR"),
	NUMBER("privileged.wrmsr", privileged.wrmsr, 1, 100000, "113", "of a WRMSR"),
	NUMBER("privileged.sti", privileged.sti, 1, 100000, "17", "of an STI"),
	NUMBER("privileged.cli", privileged.cli, 1, 100000, "14", "of a CLI"),
	NUMBER("privileged.swapgs", privileged.swapgs, 1, 100000, "26", "of a SWAPGS"),
	NUMBER("privileged.verw", privileged.verw, 1, 100000, "53", "of a VERW"),
	NUMBER("privileged.port_in", privileged.port_in, 1, 100000, "1337", "of an IN"),
	NUMBER("privileged.port_out", privileged.port_out, 1, 100000, "1249", "of an OUT"),
	NUMBER("privileged.lgdt", privileged.lgdt, 1, 100000, "37", "of an LGDT"),
	NUMBER("privileged.interrupt", privileged.interrupt, 1, 100000, "97", "of an INT"),
	NUMBER("privileged.iret", privileged.iret, 1, 100000, "71", "of an IRET"),
	NUMBER("privileged.syscall", privileged.syscall, 1, 100000, "47",
		"of a SYSCALL; hosted, until it returns"),
	NUMBER("privileged.sysret", privileged.sysret, 1, 100000, "59", "of a SYSRET"),
	NUMBER("privileged.xsave", privileged.xsave, 0, 100000, "0",
		"of an XSAVE; 0: the machine has neither that nor the next three"),
	NUMBER("privileged.xsaveopt", privileged.xsaveopt, 1, 100000, "83", "of an XSAVEOPT"),
	NUMBER("privileged.xsavec", privileged.xsavec, 1, 100000, "79", "of an XSAVEC"),
	NUMBER("privileged.xrstor", privileged.xrstor, 1, 100000, "101", "of an XRSTOR"),
	NUMBER("privileged.wbinvd", privileged.wbinvd, 1, 10000000000, "40000", "of a WBINVD"),
	NUMBER("privileged.wbinvd_line", privileged.wbinvd_line, 0, 1000, "3",
		"and for each line that it writes back"),
	NUMBER("atomics.lock_add", atomics.lock_add, 1, 10000, "18",
		"core cycles of a LOCK ADD in a line that L1 has, as all others of this section"),
	NUMBER("atomics.lock_xadd", atomics.lock_xadd, 1, 10000, "18", "of a LOCK XADD"),
	NUMBER("atomics.cas", atomics.cas, 1, 10000, "19", "of a LOCK CMPXCHG"),
	NUMBER("atomics.xchg", atomics.xchg, 1, 10000, "17", "of an XCHG with memory"),
	NUMBER("atomics.mfence", atomics.mfence, 0, 10000, "0", "of an MFENCE, 0: core.fence"),
	NUMBER("atomics.split", atomics.split, 0, 100000, "0",
		"of any of them across a line, 0: as within one"),
	NUMBER("limits.shifts", limits.shifts, 0, 64, "0",
		"of the alus, so many shift, 0: all; a cycle, as all others of this section"),
	NUMBER("limits.leas", limits.leas, 0, 64, "0", "likewise, compute addresses (LEA)"),
	NUMBER("limits.branches", limits.branches, 0, 64, "0", "likewise, decide branches"),
	NUMBER("limits.vectors", limits.vectors, 0, 64, "0",
		"vector instructions, on units of their own, 0: on the alus"),
	NUMBER("limits.multiply_every", limits.multiply_every, 1, 100, "1",
		"cycles after which a multiplier begins the next one"),
	NUMBER("limits.taken", limits.taken, 1, 100, "1",
		"cycles from a taken branch to what is behind it"),
	NUMBER("limits.wide_loads", limits.wide_loads, 0, 16, "0",
		"loads of 16 bytes and more, 0: as core.loads"),
	NUMBER("limits.wide_stores", limits.wide_stores, 0, 16, "0", "likewise, 0: as core.stores"),
	NUMBER("limits.accesses", limits.accesses, 0, 32, "0",
		"loads and stores together, 0: as many as both"),
	NUMBER("limits.commits", limits.commits, 1, 16, "1", "stores that are written to L1"),
	SIZE("frontend.l1i", frontend.l1i, "0",
		"L1 instruction cache, 0: instructions are there in no time"),
	NUMBER("frontend.l1i_ways", frontend.l1i_ways, 1, 64, "8", "associativity; LRU"),
	NUMBER("frontend.fetch", frontend.fetch, 1, 1024, "16", "bytes a cycle from there"),
	NUMBER("frontend.fetch_l2", frontend.fetch_l2, 1, 1024, "8",
		"bytes a cycle of what is not there"),
	NUMBER("frontend.decode", frontend.decode, 1, 64, "4", "instructions decoded per cycle"),
	NUMBER("frontend.prefix", frontend.prefix, 0, 100, "0",
		"cycles more where a prefix changes an instruction's length"),
	NUMBER("frontend.ops", frontend.ops, 0, 1 << 20, "0", "ops of the op cache, 0: none"),
	NUMBER("frontend.ways", frontend.ways, 1, 64, "8", "its associativity; LRU"),
	NUMBER("frontend.line_ops", frontend.line_ops, 1, 64, "6", "ops of a line"),
	NUMBER("frontend.window", frontend.window, 32, 64, "32",
		"bytes of code that the ops of a line are from: 32 or 64"),
	NUMBER("frontend.per_cycle", frontend.per_cycle, 1, 64, "6", "ops a cycle from there"),
	CHOICE("frontend.erratum", frontend.erratum, "no|yes", "no",
		"it has no window with a jump that ends at a multiple of 32 bytes, or crosses it"),
	NUMBER("backend.integers", backend.integers, 0, 4096, "0",
		"integer registers beside those of retired instructions, as all others of this "
		"section 0: as many as the window"),
	NUMBER("backend.vectors", backend.vectors, 0, 4096, "0", "likewise vector registers"),
	NUMBER("backend.loads", backend.loads, 0, 4096, "0", "loads that have not retired"),
	NUMBER("backend.branches", backend.branches, 0, 4096, "0", "likewise branches"),
	NUMBER("backend.wait_adds", backend.wait_adds, 0, 4096, "0",
		"arithmetic instructions that have not started"),
	NUMBER("backend.wait_vectors", backend.wait_vectors, 0, 4096, "0",
		"likewise those of vectors"),
	NUMBER("backend.wait_loads", backend.wait_loads, 0, 4096, "0", "likewise loads"),
	NUMBER("backend.wait_stores", backend.wait_stores, 0, 4096, "0",
		"stores whose address is not known"),
	NUMBER("wake.ipi", wake.ipi, 0, 1000000, "0",
		"in layer b, ns until an interrupt of another CPU is taken by one that executes; "
		"0: "
		"CPUs wake in no time"),
	NUMBER("wake.nmi", wake.nmi, 0, 1000000, "0", "likewise an NMI"),
	NUMBER("wake.timer", wake.timer, 0, 1000000, "0",
		"likewise that of its own timer, after the TSC's deadline; 0: there is no such "
		"mode"),
	NUMBER("wake.hop", wake.hop, 0, 1000000, "0", "ns of a line to another core"),
	NUMBER("wake.hop_thread", wake.hop_thread, 0, 1000000, "0",
		"likewise to the other thread of the core"),
	NUMBER("wake.hlt", wake.hlt, 0, 10000000, "0", "ns more of one that halted"),
	TEXT("wake.hints", wake.hints, 63, "",
		"of MWAIT, as EAX has them, rising, each state's from its first one on; CPUID 5 "
		"says "
		"so, and without any there is no MWAIT"),
	TEXT("wake.exits", wake.exits, 127, "", "ns more of one that waits by each of them"),
	NUMBER("wake.settle_us", wake.settle_us, 0, 1000000, "0",
		"until then one with a hint beyond 0 is still in the state of hint 0"),
	NUMBER("wake.ramp_us", wake.ramp_us, 0, 1000000, "0",
		"after it was woken, in which its core clock is lower"),
	NUMBER("wake.ramp_percent", wake.ramp_percent, 1, 100, "100", "of core.hz, meanwhile"),
	NUMBER("noise.jitter_every", jitter_every, 0, 1ull << 40, "0",
		"core cycles between, 0: none"),
	NUMBER("noise.jitter_ticks", jitter_ticks, 0, 1 << 30, "0", "stolen each time, at most"),
	NUMBER("noise.spike_every", spike_every, 0, 1ull << 40, "0",
		"core cycles between, 0: none"),
	NUMBER("noise.spike_ticks", spike_ticks, 0, 1 << 30, "0", "stolen each time"),
	NUMBER("noise.samples", noise_samples, 0, 256, "0",
		"samples of a row; 0: as many as the engine takes"),
	NUMBER("noise.seed", seed, 1, UINT64_MAX, "1", "of jitter, spikes, random replacement"),
	NUMBER("smi.every", smi.every, 0, 1ull << 40, "0",
		"core cycles from the beginning of an SMI to that of the next, 0: none; all cores "
		"have it"),
	CHOICE("smi.irregular", smi.irregular, "no|yes", "no",
		"that is the mean: uniform between half and one and a half times as much"),
	NUMBER("smi.ticks", smi.ticks, 0, 1 << 30, "0", "stolen each time"),
	NUMBER("smi.long_of", smi.long_of, 0, 1000, "0", "each so many-th is a long one, 0: none"),
	NUMBER("smi.long_ticks", smi.long_ticks, 0, 1 << 30, "0", "that it steals"),
	NUMBER("smi.port", smi.port, 0, 65535, "0", "that the FADT names as SMI_CMD, 0: none"),
	NUMBER("smi.asked", smi.asked, 0, 1 << 30, "0", "ticks that an SMI by that port takes"),
	NUMBER("smi.late", smi.late, 0, 1000, "0",
		"looks at the counter of SMIs, after which it comes; 0: at once"),
	CHOICE("smi.deaf", smi.deaf, "no|yes", "no", "none comes by that port"),
	NUMBER("smi.enable", smi.enable, 0, 255, "0", "the FADT's ACPI_ENABLE"),
	NUMBER("smi.disable", smi.disable, 0, 255, "0", "ACPI_DISABLE"),
	NUMBER("smi.s4bios", smi.s4bios, 0, 255, "0", "S4BIOS_REQ"),
	NUMBER("smi.pstate", smi.pstate, 0, 255, "0", "PSTATE_CNT"),
	NUMBER("smi.cst", smi.cst, 0, 255, "0", "CST_CNT"),
	NUMBER("system.stolen_ppm", stolen_ppm, 0, 500000, "0",
		"of the time, that it takes in gaps; the spikes of [noise] are then these"),
	NUMBER("system.gap_us", gap_us, 1, 100000, "100", "us, of one gap"),
	CHOICE("system.small_pages", small_pages, "no|yes", "no", "it gives pages of 4 KiB only"),
	NUMBER("system.clock_percent", clock_percent, 10, 100, "100",
		"of core.hz, at which the core runs; L3 and memory keep their own time"),
	TEXT("cpuid.vendor", vendor, 12, "GenuineIntel", "12 letters; AuthenticAMD changes leaves"),
	TEXT("cpuid.brand", brand, 48, "known-answer machine", "brand string"),
	NUMBER("cpuid.family", family, 0, 270, "6", ""),
	CHOICE("cpuid.counters", counters, "none|all|aperf", "none",
		"performance counters, in layer b: all those of the vendor, or APERF alone"),
	CHOICE("cpuid.tsc_invariant", tsc_invariant, "no|yes", "yes", "that the TSC has one rate"),
	CLAIM("cpuid.l1_bytes", l1_bytes, "claimed, when not the truth; 0: no such cache"),
	CLAIM("cpuid.l1_ways", l1_ways, "likewise"),
	CLAIM("cpuid.l2_bytes", l2_bytes, "likewise"),
	CLAIM("cpuid.l2_ways", l2_ways, "likewise"),
	CLAIM("cpuid.l3_bytes", l3_bytes, "likewise"),
	CLAIM("cpuid.l3_ways", l3_ways, "likewise"),
	CLAIM("cpuid.l4_bytes", l4_bytes, "likewise"),
	CLAIM("cpuid.l4_ways", l4_ways, "likewise"),
	CLAIM("cpuid.line", line, "likewise"),
};

#define SETTINGS (sizeof(settings) / sizeof(*settings))

void cpu_init(struct cpu *c)
{
	memset(c, 0, sizeof(*c));
	settings_init(settings, SETTINGS, c);
}

static bool is_stated(const struct cpu *c, const char *name)
{
	for (unsigned i = 0; i < c->expects; i++)
		if (!strcmp(c->expect[i].name, name))
			return true;
	return false;
}

/* Of several values with a comma between them, each has the text. 0, or -1 and why. */
static int expect(struct cpu *c, const char *names, const char *text, char *err, size_t room)
{
	while (*names) {
		struct cpu_expect *e = &c->expect[c->expects];
		int n = (int)strcspn(names, ", ");
		char name[sizeof(e->name)];

		if (c->expects == CPU_EXPECTS || n >= (int)sizeof(name) ||
			strlen(text) >= sizeof(e->text)) {
			snprintf(err, room, "expect.%s: too long, or more than %d of them", names,
				CPU_EXPECTS);
			return -1;
		}
		snprintf(name, sizeof(name), "%.*s", n, names);
		if (is_stated(c, name)) {
			snprintf(err, room, "expect.%s: a second time", name);
			return -1;
		}
		strcpy(e->name, name);
		strcpy(e->text, text);
		c->expects++;
		names += n;
		names += strspn(names, ", ");
	}
	return 0;
}

/* A file that is read: into which machine, and which keys it has had. */
struct reading {
	struct cpu *cpu;
	bool had[SETTINGS];
};

static bool had_before(struct reading *r, const char *key)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (strcmp(settings[i].name, key) == 0) {
			bool before = r->had[i];

			r->had[i] = true;
			return before;
		}
	return false;
}

/* inih calls this for each key; 0 is an error. */
static int set(void *priv, const char *section, const char *name, const char *value)
{
	struct reading *r = priv;
	char key[128], err[256];

	snprintf(key, sizeof(key), "%s.%s", section, name);
	if (strcmp(section, "expect") == 0) {
		if (expect(r->cpu, name, value, err, sizeof(err)) == 0)
			return 1;
	} else if (had_before(r, key)) {
		snprintf(err, sizeof(err), "%s: a second time", key);
	} else if (settings_set(settings, SETTINGS, r->cpu, key, value, err, sizeof(err)) == 0) {
		return 1;
	}
	fprintf(stderr, "kam: %s\n", err);
	return 0;
}

static void check_ways(const char *path, const char *table, uint64_t entries, uint64_t ways)
{
	if (ways && entries % ways)
		fatal("%s: tlb.%s of %lu entries cannot have %lu ways: these must divide them, or "
		      "be 0: all",
			path, table, entries, ways);
}

static void check_tlb(const struct cpu *c, const char *path)
{
	check_ways(path, "dtlb_4k", c->dtlb_4k, c->dtlb_ways);
	check_ways(path, "stlb", c->stlb, c->stlb_ways);
	check_ways(path, "stlb_2m", c->stlb_2m, c->stlb_ways);
	if (c->coalesce & (c->coalesce - 1))
		fatal("%s: tlb.coalesce = %lu: must be a power of two", path, c->coalesce);
}

static void check_memory(const struct cpu *c, const char *path)
{
	if (c->row_bytes & (c->row_bytes - 1))
		fatal("%s: memory.row_bytes = %lu: must be a power of two", path, c->row_bytes);
	if (c->row_bytes && c->row_hit >= c->memory_latency)
		fatal("%s: memory.row_hit = %lu: must be less than latency", path, c->row_hit);
	if (c->refresh && c->refresh >= c->refresh_every)
		fatal("%s: memory.refresh = %lu: must be less than refresh_every, %lu", path,
			c->refresh, c->refresh_every);
}

static void check_indirect(const struct cpu *c, const char *path)
{
	if (c->indirect.beyond == BEYOND_INDIRECT && !c->indirect.entries)
		fatal("%s: indirect.beyond = indirect: there must be indirect.entries", path);
}

static void check_cpus(const struct cpu *c, const char *path)
{
	if (c->cpus % c->l3_domains || c->l3_domains % c->nodes)
		fatal("%s: %lu cpus, %lu l3_domains and %lu nodes: each must be a multiple of the "
		      "next",
			path, c->cpus, c->l3_domains, c->nodes);
	if (c->arena_node >= c->nodes)
		fatal("%s: nodes.arena = %lu: there are %lu", path, c->arena_node, c->nodes);
	if (c->cpus > 1 && (c->jitter_every || c->spike_every || c->hz_start || c->period_us))
		fatal("%s: several cpus have one clock: no jitter, spikes, rise or neighbour",
			path);
}

int64_t cpu_of_core(const char *list, unsigned core)
{
	char *end;

	for (;; list = end, core--) {
		int64_t number = strtoll(list, &end, 10);

		if (end == list || !core)
			return end == list ? 0 : number;
	}
}

unsigned cpu_list_length(const char *list)
{
	unsigned n = 0;
	char *end;

	for (; strtoll(list, &end, 10), end != list; list = end)
		n++;
	return n;
}

uint64_t cpu_exit_ns(const struct cpu *c, uint64_t hint)
{
	for (unsigned i = 0; i < cpu_list_length(c->wake.hints); i++)
		if ((uint64_t)cpu_of_core(c->wake.hints, i) == hint)
			return (uint64_t)cpu_of_core(c->wake.exits, i);
	fatal("MWAIT with the hint %#lx, which the machine does not have", hint);
}

static void check_wake(const struct cpu *c, const char *path)
{
	unsigned n = cpu_list_length(c->wake.hints);

	if (n != cpu_list_length(c->wake.exits) || (n && cpu_of_core(c->wake.hints, 0)))
		fatal("%s: wake.exits = %s: must be as many as hints, of which the first is 0",
			path, c->wake.exits);
}

/* Numbers with blanks between them; the first is 0 where all others are compared with it. */
static void check_list(const struct cpu *c, const char *path, const char *key, const char *list,
	bool from_0)
{
	unsigned n = 0;
	const char *at = list;
	char *end;

	for (; strtoll(at, &end, 10), end != at; at = end)
		n++;
	if (*at || (from_0 && ((n && n != c->cpus) || cpu_of_core(list, 0))))
		fatal("%s: skew.%s = %s: must be %lu numbers%s", path, key, list, c->cpus,
			from_0 ? ", the first 0" : "");
}

static void check_skew(const struct cpu *c, const char *path)
{
	check_list(c, path, "ticks", c->skew.ticks, true);
	check_list(c, path, "ppb", c->skew.ppb, true);
	check_list(c, path, "adjust", c->skew.adjust, false);
}

static void check_forwarding(const struct cpu *c, const char *path)
{
	if (c->forwarding.failed && c->partial)
		fatal("%s: forwarding.failed = %lu: there must be no core.partial beside it", path,
			c->forwarding.failed);
	if (c->forwarding.renamed && !c->forwarding.renames)
		fatal("%s: forwarding.renamed = %lu: renames must be yes", path,
			c->forwarding.renamed);
	if (c->forwarding.page < c->forwarding.line)
		fatal("%s: forwarding.page = %lu: must be at least line, %lu", path,
			c->forwarding.page, c->forwarding.line);
	if (c->split.load_page < c->split.load_line)
		fatal("%s: split.load_page = %lu: must be at least load_line, %lu", path,
			c->split.load_page, c->split.load_line);
	if (c->split.store_page < c->split.store_line)
		fatal("%s: split.store_page = %lu: must be at least store_line, %lu", path,
			c->split.store_page, c->split.store_line);
}

/* A locked operation has its line before it is done. */
static void check_atomics(const struct cpu *c, const char *path)
{
	const uint64_t cycles[] = { c->atomics.lock_add, c->atomics.lock_xadd, c->atomics.cas,
		c->atomics.xchg, c->atomics.split ? c->atomics.split : UINT64_MAX };

	for (unsigned i = 0; i < sizeof(cycles) / sizeof(*cycles); i++)
		if (cycles[i] < c->level[0].latency)
			fatal("%s: atomics: %lu cycles: must be at least l1.latency, %lu", path,
				cycles[i], c->level[0].latency);
}

static void check_part(const char *path, const char *key, uint64_t part, const char *of,
	uint64_t whole)
{
	if (part > whole)
		fatal("%s: limits.%s = %lu: must be at most %s, %lu", path, key, part, of, whole);
}

static void check_limits(const struct cpu *c, const char *path)
{
	check_part(path, "shifts", c->limits.shifts, "alus", c->alus);
	check_part(path, "leas", c->limits.leas, "alus", c->alus);
	check_part(path, "branches", c->limits.branches, "alus", c->alus);
	check_part(path, "wide_loads", c->limits.wide_loads, "loads", c->loads);
	check_part(path, "wide_stores", c->limits.wide_stores, "stores", c->stores);
	check_part(path, "accesses", c->limits.accesses, "loads and stores", c->loads + c->stores);
}

static void check_frontend(const struct cpu *c, const char *path)
{
	uint64_t line = c->frontend.line_ops * c->frontend.ways;

	if (c->frontend.l1i % (64 * c->frontend.l1i_ways))
		fatal("%s: frontend.l1i = %lu: must be a multiple of 64 times l1i_ways", path,
			c->frontend.l1i);
	if (c->frontend.ops % line || (c->frontend.ops && !c->frontend.l1i))
		fatal("%s: frontend.ops = %lu: must be a multiple of %lu, and l1i not 0", path,
			c->frontend.ops, line);
	if (c->frontend.window != 32 && c->frontend.window != 64)
		fatal("%s: frontend.window = %lu: must be 32 or 64", path, c->frontend.window);
}

/* How lines choose their set. */
static void check_hash(const struct cpu_cache *l, uint64_t line, unsigned level, const char *path)
{
	uint64_t sets = l->bytes / (line * l->ways);

	if (l->hash == HASH_XOR && sets & (sets - 1))
		fatal("%s: l%u.hash = xor: its sets, %lu, must be a power of two", path, level,
			sets);
	if (l->hash == HASH_SLICES && (!l->slices || sets % l->slices))
		fatal("%s: l%u.slices = %lu: must divide its sets, %lu", path, level, l->slices,
			sets);
}

static void check_caches(const struct cpu *c, const char *path)
{
	unsigned n = cpu_levels(c), i;

	if (c->line < 16 || c->line > 4096 || c->line & (c->line - 1))
		fatal("%s: line.bytes = %lu: must be a power of two, 16 to 4096", path, c->line);
	for (i = 0; i < n; i++) {
		const struct cpu_cache *l = &c->level[i];

		if (l->bytes == 0 || l->bytes % (c->line * l->ways))
			fatal("%s: L%u of %lu bytes cannot have %lu ways of %lu byte lines: must "
			      "be a multiple of %lu",
				path, i + 1, l->bytes, l->ways, c->line, c->line * l->ways);
		if (l->victim && i + 1 < n)
			fatal("%s: l%u.victim = yes: must be the last level, L%u", path, i + 1, n);
		check_hash(l, c->line, i + 1, path);
	}
	if (c->level[3].bytes && n < 4)
		fatal("%s: l4.bytes = %lu: there must be an L3", path, c->level[3].bytes);
}

static void check_taken(const char *path, const char *key, uint64_t taken, uint64_t ways)
{
	if (taken && taken >= ways)
		fatal("%s: neighbour.%s = %lu: must be less than all of them, %lu", path, key,
			taken, ways);
}

static void check_smis(const struct cpu *c, const char *path)
{
	uint64_t most = c->smi.ticks > c->smi.long_ticks ? c->smi.ticks : c->smi.long_ticks;

	if (c->smi.every &&
		(double)most * (double)c->hz / (double)c->tsc_hz >= (double)c->smi.every / 2)
		fatal("%s: smi.ticks = %lu: must be less than half of every, %lu", path, most,
			c->smi.every);
}

static void check_disturbances(const struct cpu *c, const char *path)
{
	check_smis(c, path);
	if (c->hz_start > c->hz)
		fatal("%s: clock.hz_start = %lu: must be at most core.hz, %lu", path, c->hz_start,
			c->hz);
	if (c->stolen_ppm && c->spike_every)
		fatal("%s: system.stolen_ppm = %lu: there must be no noise.spike_every beside it",
			path, c->stolen_ppm);
	check_taken(path, "l1_ways", c->taken_l1, c->level[0].ways);
	check_taken(path, "l2_ways", c->taken_l2, c->level[1].ways);
	check_taken(path, "l3_ways", c->taken_l3, c->level[2].ways);
	check_taken(path, "dtlb_ways", c->taken_dtlb, c->dtlb_ways ? c->dtlb_ways : c->dtlb_4k);
	check_taken(path, "stlb_ways", c->taken_stlb, c->stlb_ways ? c->stlb_ways : c->stlb);
}

/* What the model cannot be built from, or would take for another machine. */
static void check(const struct cpu *c, const char *path)
{
	check_caches(c, path);
	check_forwarding(c, path);
	check_limits(c, path);
	check_atomics(c, path);
	check_frontend(c, path);
	if (c->banks & (c->banks - 1) || c->level[0].buffers % c->banks)
		fatal("%s: %lu buffers of L1 cannot have %lu banks", path, c->level[0].buffers,
			c->banks);
	if (c->sibling && c->threads < 2)
		fatal("%s: core.sibling: there is none with core.threads = 1", path);
	if (c->threads > 1 &&
		(c->window % 2 || c->store_buffer % 2 || c->level[0].buffers % (2 * c->banks)))
		fatal("%s: two threads cannot divide a window of %lu, %lu stores or %lu buffers of "
		      "L1",
			path, c->window, c->store_buffer, c->level[0].buffers);
	check_disturbances(c, path);
	check_memory(c, path);
	check_tlb(c, path);
	check_indirect(c, path);
	check_cpus(c, path);
	check_skew(c, path);
	check_wake(c, path);
	if (strlen(c->vendor) != 12)
		fatal("%s: cpuid.vendor = '%s': must have 12 letters", path, c->vendor);
}

void cpu_read(struct cpu *c, const char *path)
{
	struct reading reading = { .cpu = c };
	int line;

	cpu_init(c);
	line = ini_parse(path, set, &reading);
	if (line < 0)
		fatal("%s: cannot be read", path);
	if (line > 0)
		fatal("%s:%d: refused", path, line);
	check(c, path);
	system_start(c);
}

void cpu_divide(struct cpu *c, const struct cpu *whole, int halved)
{
	uint64_t parts = halved ? 2 : 1;

	c->window = whole->window / parts;
	c->store_buffer = whole->store_buffer / parts;
	c->level[0].buffers = whole->level[0].buffers / parts;
}

void cpu_format(void)
{
	const char *name, *initial;
	char section[16] = "";
	size_t i, n;

	for (i = 0; i < SETTINGS; i++) {
		name = settings[i].name;
		n = (size_t)(strchr(name, '.') - name);
		if (strncmp(section, name, n) || section[n]) {
			snprintf(section, sizeof(section), "%.*s", (int)n, name);
			printf("%s[%s]\n", i ? "\n" : "", section);
		}
		initial = strcmp(settings[i].initial, TRUTH) ? settings[i].initial : "(the truth)";
		printf("%-14s = %-22s ; %s%s%s\n", name + n + 1, initial, settings[i].help,
			settings[i].choices ? ": " : "",
			settings[i].choices ? settings[i].choices : "");
	}
	printf("\n[expect]\n"
	       "; which values the machine hides: docs/known-answer.md, Not resolved\n");
}
