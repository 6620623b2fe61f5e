/* SPDX-License-Identifier: MIT */
/*
 * What a probe says of its rows beyond the summary: the sentences on the screen, number by number.
 */
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

/* A row without, or with, a parameter. */
static struct row *plain(const char *of, const char *variant, double y)
{
	return add(of, variant, "n", 0, y, PAGE_2M);
}

static void meaning(const char *of)
{
	*m.said = 0;
	m.b.probe = probe(of);
	m.b.probe->hooks->meaning(&m.b);
}

static void expect(const char *text)
{
	if (!strstr(m.said, text))
		fail_msg("expected '%s', was said:\n%s", text, m.said);
}

static void expect_not(const char *text)
{
	if (strstr(m.said, text))
		fail_msg("did not expect '%s', was said:\n%s", text, m.said);
}

TEST(branches)
{
	begin();
	meaning("branch");
	expect_not("times");
	plain("branch", "copy-odd-random", 12);
	plain("branch", "copy-odd-odd", 3);
	plain("branch", "nobranch-random", 1.25);
	plain("branch", "word-odd-odd", 2);
	plain("branch", "word-free-odd", 5);
	meaning("branch");
	expect("same loop 4.0 times as slow.");
	expect("it is 9.6 times as fast on random");
	expect("takes 2.5 times as long without");
}

TEST(learning_and_states)
{
	static const struct {
		double elements, random;
	} states[] = { { 16, 2.25 }, { 1024, 4 }, { 1024 * 1024, 12 } };

	begin();
	for (unsigned i = 0; i < 3; i++) {
		add("branch", "states-random", "elements", states[i].elements, states[i].random, 0);
		add("branch", "states-sorted", "elements", states[i].elements, 2, 0);
	}
	row_param(add("branch", "learn", "elements", 2000, 7.5, 0), "pass", 1);
	row_param(add("branch", "learn", "elements", 2000, 1.5, 0), "pass", 20);
	meaning("branch");
	expect(" 16: 1 % 1Ki: 10 % 1024Ki: 50 %");
	expect("7.50 ns each when new, 1.50 ns in pass 20.");
}

TEST(chains_and_sums)
{
	static const double adds[] = { 4, 2, 0.5, 0.8 }, products[] = { 3, 1.5, 1, 0.75 };

	begin();
	add("ilp", "differences", "elements", 100, 2, 0);
	add("ilp", "prefix-sum", "elements", 100, 7, 0);
	add("ilp", "odd-inlined", "elements", 999, 2, 0);
	add("ilp", "odd-calls", "elements", 999, 9, 0);
	for (unsigned i = 0; i < 4; i++) {
		add("ilp", "add", "lanes", 1 << i, adds[i], 0);
		add("ilp", "multiply", "lanes", 1 << i, products[i], 0);
	}
	plain("ilp", "int-differences", 4);
	plain("ilp", "int-prefix-sum", 6);
	plain("ilp", "factorials-loop", 10);
	plain("ilp", "factorials-calls", 25);
	meaning("ilp");
	expect("one before costs 3.5 times a difference");
	expect("4 independent chains of add run 8.0 times as fast");
	expect("8 independent chains of multiply run 4.0 times as fast");
	expect("costs 4.5 times the inlined test");
	expect("loaded again costs 1.5 times a difference");
	expect("Factorials of 1 to 999 by recursion take 2.5 times");
}

/* Chains of several are compared with one, and where that was not measured nothing is said. */
TEST(several_chains_without_one)
{
	begin();
	add("ilp", "add", "lanes", 4, 0.5, 0);
	add("ilp", "prefix-sum", "elements", 100, 7, 0);
	add("ilp", "odd-calls", "elements", 999, 9, 0);
	meaning("ilp");
	expect_not("independent");
	expect_not("times");
}

TEST(lists_and_indices)
{
	static const double cycles[] = { 5, 7, 9.5 };
	static const char *const styles[] = { "pointer", "index", "index-checked" };

	begin();
	m.room.facts.pages = PAGE_4K | PAGE_2M;
	for (unsigned i = 0; i < 3; i++) { /* only those in L1, in the pages that are best */
		add("latency", styles[i], "bytes", 8192, 100 + i, PAGE_4K)->level = "l1";
		add("latency", styles[i], "bytes", 65536, 200 + i, PAGE_2M)->level = "l2";
		add("latency", styles[i], "bytes", 8192, cycles[i] / 3, PAGE_2M)->level = "l1";
	}
	plain("latency", "list-one", 2);
	plain("latency", "list-two", 1.25);
	plain("latency", "list-shuffled-one", 90);
	plain("latency", "list-shuffled-two", 50);
	meaning("latency");
	expect("index costs +2.0 core cycles a load over a pointer, checked +4.5.");
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].cycles = 0; /* the core clock is not known */
	meaning("latency");
	expect_not("core cycles");
	expect("nodes: 2.00 ms, two at once 2.50 ms.");
	expect("nodes, shuffled: 90.00 ms, two at once 100.00 ms.");
}

TEST(products)
{
	begin();
	add("matmul", "ijk", "n", 32, 3, 0);
	add("matmul", "ikj", "n", 32, 2, 0);
	add("matmul", "ijk", "n", 512, 9, 0);
	add("matmul", "ikj", "n", 512, 2, 0);
	add("matmul", "ijk", "n", 2048, 9, 0); /* one of the two */
	meaning("matmul");
	expect("n = 32: the order ikj is 1.5 times");
	expect("n = 512: the order ikj is 4.5 times");
	expect_not("2048");
}

TEST(kinds_of_memory)
{
	static const struct unit load = { "ns/load", SCALE_NS }, gbs = { "GB/s", SCALE_GBS };

	begin();
	plain("memtype", "wb-latency", 1.5)->unit = &load;
	plain("memtype", "uc-latency", 250)->unit = &load;
	plain("memtype", "wb-write", 20)->unit = &gbs;
	plain("memtype", "wc-write", 12)->unit = &gbs;
	plain("memtype", "wc-read", 0.25)->unit = &gbs; /* none beside it */
	meaning("memtype");
	expect("An uncached load: 250.00 ns/load, 1.50 where it is cached.");
	expect("Stores to write-combining memory: 12.00 GB/s, 20.00 where");
	expect_not("Loads from write-combining");
}

TEST(first_touch)
{
	begin();
	plain("bytouch", "touch-4k", 1024);
	meaning("bytouch");
	expect("a page of 4 KiB takes 1.02 us, 4.00 GB/s.");
	expect_not("2048 KiB");
}

TEST(clocks)
{
	begin();
	m.room.facts.tsc_hz = 2e9;
	m.room.facts.tsc[0] = (struct tsc_source){ "hpet", 2.0002e9, false };
	m.room.facts.tsc[1] = (struct tsc_source){ "cpuid-16h", 1.999e9, true };
	m.room.facts.tsc[2] = (struct tsc_source){ "pit", 0, false };
	m.room.facts.tsc_sources = 3;
	meaning("clock");
	expect("TSC by hpet                  2000.200000 MHz (timed, +100 ppm)");
	expect("TSC by cpuid-16h             1999.000000 MHz (claimed, -500 ppm)");
	expect("TSC by pit                  not available");
}

/* Each by its own line, in a unit that is read easily; what was not measured is not said. */
TEST(requests_to_the_system)
{
	begin();
	plain("oscost", "syscall", 250);
	plain("oscost", "clock-gettime", 40);
	plain("oscost", "clock-syscall", 50);
	plain("oscost", "signal", 1500);
	plain("oscost", "switch-futex", 1750);
	plain("oscost", "cross-cpu-futex", 8250);
	plain("oscost", "minor-fault", 0);
	plain("oscost", "thread-create", 20000);
	plain("oscost", "timer-wakeup", 52500);
	m.results[m.b.nresults - 1].max = 812300;
	meaning("oscost");
	assert_string_equal(m.said,
		"  A system call that does nothing takes 0.25 us.\n"
		"  A signal, with its handler's return, takes 1.50 us.\n"
		"  A switch to another thread of this CPU (futex) takes 1.75 us.\n"
		"  A hand-over to a thread of another CPU (futex) takes 8.25 us.\n"
		"  A thread, started and joined, takes 20.00 us.\n"
		"  The time takes 40 ns, by a system call 50 ns.\n"
		"  A timer wakes a thread 52.5 us late, at worst 812.3 us.\n");
	m.results[2].median = 49;
	meaning("oscost");
	expect("  The time takes 40 ns, by a system call 49 ns: the vDSO makes one, too.\n");
	begin();
	plain("oscost", "minor-fault", 600);
	plain("oscost", "clock-gettime", 40);
	meaning("oscost");
	assert_string_equal(m.said, "  The first touch of a page of 4 KiB takes 0.60 us.\n");
}
