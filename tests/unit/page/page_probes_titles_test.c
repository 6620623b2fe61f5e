/* SPDX-License-Identifier: MIT */
/* Titles that say what is seen: only what the result has, and as its card has it. */
#include "page/page_probes.c"
#include "page/page_memory.h"
#include "tests/unit/test.h"

#define RUN(room) "{\"kind\":\"run\",\"room\":\"" room "\"}\n"
#define VALUE(name, unit, value, more)                                                             \
	"{\"kind\":\"summary\",\"name\":\"" name "\",\"unit\":\"" unit "\",\"value\":" value       \
	",\"confidence\":0.9" more "}\n"
#define NONE "null"

static void *zeroed(size_t bytes)
{
	return calloc(1, bytes);
}

BEFORE_ALL(open_memory)
{
	page_memory_use(zeroed, free);
}

/* The finding of the picture in runs of so many sets; the second text may be NULL. */
static void expect(const char *picture, size_t sets, const char *first, const char *second,
	const char *want)
{
	struct shown_run runs[2];
	struct subject list[2] = { { .run = &runs[0], .letter = 'A' },
		{ .run = &runs[1], .letter = 'B', .colour = (unsigned)sets - 1, .index = 1 } };
	struct subjects subjects = { .list = list, .n = second ? 2 : 1, .sets = sets };
	char says[FINDING_TEXT];

	shown_run_read(&runs[0], first, strlen(first));
	shown_run_read(&runs[1], second ? second : "", second ? strlen(second) : 0);
	subjects_name(&subjects);
	picture_finding(picture_find(picture), &subjects, says);
	assert_string_equal(says, want);
	shown_run_free(&runs[0]);
	shown_run_free(&runs[1]);
}

TEST(what_is_not_resolved_is_left_out)
{
	expect("latency", 1,
		RUN("bare") VALUE("l1d_bytes", "bytes", "49152",
			",\"low\":45056,\"high\":53248,\"claimed\":49152,\"agrees\":true")
			VALUE("l2_bytes", "bytes", NONE, ",\"claimed\":2097152")
				VALUE("memory_latency_ns", "ns", "138.26", ""),
		NULL, "L1 ends at 44K..52K, memory takes 138.3 ns");
	expect("latency", 1, RUN("bare"), NULL, "");
	expect("random", 1, RUN("bare") VALUE("l1d_bytes", "bytes", "49152", ""), NULL, "");
}

TEST(a_claim_that_is_another_is_said)
{
	expect("latency", 1,
		RUN("bare") VALUE("l3_bytes", "bytes", "9437184",
			",\"claimed\":33554432,\"agrees\":false")
			VALUE("page_size_effect", "ratio", "1.06", ""),
		NULL, "L3 ends at 9M (CPUID claims 32M), 4 KiB pages cost 6 % in memory");
	expect("ways", 1,
		RUN("bare") VALUE("l1d_ways", "ways", "8", ",\"claimed\":12,\"agrees\":false"),
		NULL, "L1 has 8 ways (CPUID claims 12)");
}

TEST(units_and_the_first_letter)
{
	expect("noise", 1,
		RUN("bare") VALUE("noise_gaps_per_second", "gaps/s", "3580.374", "")
			VALUE("noise_longest_ns", "ns", "4083000", ""),
		NULL, "3580 gaps a second, the longest 4.083 ms");
	expect("stride-flush", 1, RUN("bare") VALUE("line_bytes", "bytes", "64", ""), NULL,
		"A line has 64 bytes");
	expect("clock", 1, RUN("bare") VALUE("core_clock_hz", "Hz", "2991321000", ""), NULL,
		"The core clock is 2.991 GHz");
	expect("branch-returns", 1,
		RUN("bare") VALUE("return_stack", "calls", "24", ",\"low\":24,\"high\":27"), NULL,
		"The return stack holds 24..26 calls");
}

/*
 * The title has the value of quiet moments if the card shows it: samples were disturbed, and the
 * difference exceeds the doubt.
 */
TEST(the_value_of_quiet_moments_where_the_card_shows_it)
{
	expect("mlp", 1,
		RUN("bare") VALUE("parallel_misses", "misses", "6",
			",\"floor\":13.66,\"disturbed_share\":0.5"),
		NULL, "13.7 (busy 6) misses at once");
}

#define UNSURE(name, unit, value, sure)                                                            \
	"{\"kind\":\"summary\",\"name\":\"" name "\",\"unit\":\"" unit "\",\"value\":" value       \
	",\"confidence\":" sure "}\n"

/* Without any value that is sure enough, the title is the picture's general one. */
TEST(what_is_hardly_sure_is_not_claimed)
{
	expect("branch", 1, RUN("bare") UNSURE("predictor_perfect", "branches", "13824", "0.25"),
		NULL, "");
	expect("tlb", 1, RUN("bare") UNSURE("walk_cycles", "cycles", "49", "0.49"), NULL, "");
	expect("tlb", 1, RUN("bare") UNSURE("walk_cycles", "cycles", "49", "0.5"), NULL,
		"A walk costs 49 cycles at least");
	expect("latency", 1,
		RUN("bare") VALUE("memory_latency_ns", "ns", "120", "")
			UNSURE("l3_bytes", "bytes", "9437184", "0.4"),
		NULL, "Memory takes 120 ns");
	/* What goes on from a part that is left out is left out, too. */
	expect("mlp", 1,
		RUN("bare") UNSURE("parallel_misses", "misses", "13", "0.3")
			VALUE("parallel_misses_4k", "misses", "12", ""),
		NULL, "");
}

TEST(a_clock_that_moved_has_its_range)
{
	expect("clock", 1,
		RUN("bare") VALUE("core_clock_hz", "Hz", "3000000000",
			",\"low\":2500000000,\"high\":3600000000"),
		NULL, "The core clock is 2.500..3.600 GHz");
	expect("latency", 1, RUN("bare") VALUE("page_size_effect", "ratio", "0.998", ""), NULL,
		"4 KiB pages cost 0 % in memory");
}

/* "30.6 from L3" alone would have no unit. */
TEST(a_part_that_goes_on_from_another_needs_it)
{
	expect("bandwidth", 1,
		RUN("bare") VALUE("read_bytes_per_cycle_l3", "bytes/cycle", "30.6", ""), NULL, "");
	expect("bandwidth", 1,
		RUN("bare") VALUE("read_bytes_per_cycle_l1", "bytes/cycle", "64", "")
			VALUE("read_bytes_per_cycle_l3", "bytes/cycle", "30.6", ""),
		NULL, "The fastest width reads 64 bytes a core cycle from L1, 30.6 from L3");
	expect("branch", 1,
		RUN("bare") VALUE("predictor_branches", "branches", "16384",
			",\"low\":16384,\"high\":16896"),
		NULL, "Half or more of up to 16384..16895 random branches are predicted");
}

TEST(several_rooms_and_repeated_runs)
{
	static const char a[] = RUN("hosted") VALUE("parallel_misses", "misses", "13.7", ""),
			  b[] = RUN("bare") VALUE("parallel_misses", "misses", "14", ""),
			  none[] = RUN("bare");

	expect("mlp", 2, a, b, "hosted: 13.7 misses at once; bare: 14 misses at once");
	expect("mlp", 2, a, none, "hosted: 13.7 misses at once");
	expect("mlp", 2, none, a, "hosted: 13.7 misses at once");
	expect("mlp", 1, a, a, "");
}

TEST(what_all_rooms_say_is_said_once)
{
	static const char a[] = RUN("hosted") VALUE("l1d_bytes", "bytes", "49152", "")
		VALUE("memory_latency_ns", "ns", "120", ""),
			  b[] = RUN("bare") VALUE("l1d_bytes", "bytes", "49152", "")
				  VALUE("memory_latency_ns", "ns", "96", "")
					  VALUE("page_size_effect", "ratio", "1.2", ""),
			  c[] = RUN("bare") VALUE("l1d_bytes", "bytes", "49152", "")
				  VALUE("memory_latency_ns", "ns", "120", "");

	expect("latency", 2, a, b,
		"L1 ends at 48K; hosted: memory takes 120 ns; bare: memory takes 96 ns, 4 KiB "
		"pages cost 20 % in memory");
	expect("latency", 2, a, c, "L1 ends at 48K, memory takes 120 ns");
}
