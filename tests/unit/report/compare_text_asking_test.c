/* SPDX-License-Identifier: MIT */
/* compare says what one pays for asking the system, of each set that measured it. */
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

static void asked(struct fixture *f, const char *variant, double median)
{
	fixture_line(f, "row",
		",\"probe\":\"oscost\",\"variant\":\"%s\",\"unit\":\"ns/op\",\"samples\":3,"
		"\"min\":%g,\"median\":%g,\"mad\":0,\"disturbed\":0,\"values\":[%g,%g,%g]",
		variant, median, median, median, median, median);
}

TEST(a_price_is_told_of_who_has_it)
{
	struct bench_of b = { 0 };
	struct fixture *f = file(&b, "metal", "bare", "");

	row(f, "v", "", "ns/load", 10);
	f = file(&b, "linux", "hosted", ",\"os\":{\"kernel\":\"6.1.0\"}");
	row(f, "v", "", "ns/load", 10);
	asked(f, "syscall", 112.4);
	asked(f, "switch-pipe", 2345);
	asked(f, "switch-futex", 1901);
	asked(f, "minor-fault", 540);
	asked(f, "thread-create", 14210);
	compare(&b);
	says(&b,
		"Asking Linux (B, one run): system call 112 ns, context switch 1.90 us,\n"
		"  minor fault 540 ns, thread 14.2 us\n");
	says_not(&b, "Asking Linux (A");
	forget(&b);
}

TEST(each_of_two_systems_has_its_line)
{
	struct bench_of b = { 0 };

	asked(file(&b, "before", "hosted", ""), "syscall", 100);
	asked(file(&b, "after", "hosted", ""), "syscall", 1000);
	compare(&b);
	says(&b,
		"Asking Linux (A, one run): system call 100 ns\n"
		"Asking Linux (B, one run): system call 1.00 us\n");
	forget(&b);
}

/* One number of several runs would say nothing of how far they lie apart. */
TEST(several_runs_give_a_range)
{
	struct bench_of b = { 0 };

	asked(file(&b, "old-1", "hosted", ""), "syscall", 100);
	asked(file(&b, "old-2", "hosted", ""), "syscall", 117);
	asked(file(&b, "old-3", "hosted", ""), "syscall", 108);
	asked(file(&b, "new-1", "hosted", ""), "syscall", 990);
	asked(file(&b, "new-2", "hosted", ""), "syscall", 1210);
	compare(&b);
	says(&b, "Asking Linux (A, lowest..highest of 3 runs): system call 100..117 ns\n");
	says(&b, "Asking Linux (B, lowest..highest of 2 runs): system call 0.99..1.21 us\n");
	forget(&b);
}

TEST(who_did_not_measure_it_says_nothing)
{
	struct bench_of b = { 0 };

	row(file(&b, "a", "hosted", ""), "syscall", "", "ns/load", 1); /* of another probe */
	row(file(&b, "b", "hosted", ""), "v", "", "ns/load", 1);
	compare(&b);
	says_not(&b, "Asking");
	forget(&b);
}

TEST(an_emulator_has_no_price)
{
	struct bench_of b = { 0 };
	struct fixture *f = file(&b, "a", "hosted", "");

	asked(f, "syscall", 100);
	f = &b.files[b.n];
	b.names[b.n++] = "qemu";
	fixture_open(f);
	fixture_line(f, "run",
		",\"schema\":\"anechoic/2\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
		"\"brand\":\"QEMU\",\"family\":6,\"model\":6,\"stepping\":3},\"cpus\":2,"
		"\"emulated\":true,\"hypervisor\":\"TCGTCGTCGTCG\",\"tsc_hz\":2500000000");
	asked(f, "syscall", 9000);
	compare(&b);
	says(&b, "Asking Linux (A, one run): system call 100 ns\n");
	says_not(&b, "Asking Linux (B");
	forget(&b);
}
