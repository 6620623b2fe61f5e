/* SPDX-License-Identifier: MIT */
/* Rows of the probe `privileged` in a room where it is known what each instruction takes. */
#include "tests/unit/lines_of_rows.h"

#define EACH  16  /* ticks of eight instructions */
#define ROUND 100 /* of 64 pages touched */
#define WRITE 40  /* of CR3 before that */

static unsigned attempts;
static uint32_t noted[8]; /* the registers that the room was told of */
static unsigned nnoted;
static const char *refusal; /* why all loops are refused */
static loop_fn *refused;    /* this one alone is */

static bool is_one_of(loop_fn *loop, loop_fn *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (loop == list[i])
			return true;
	return false;
}

/* Instructions that this test's ring does not have are not executed. */
static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	static loop_fn *const here[] = { loop_rdtsc, loop_rdtscp, loop_cpuid, loop_verw };
	static loop_fn *const of_ring_0[] = { loop_write_cr3, loop_write_cr3_kept, loop_invlpg,
		loop_invpcid, loop_rdmsr, loop_wrmsr, loop_sti_cli, loop_swapgs, loop_port_in,
		loop_lgdt, loop_interrupt };
	static loop_fn *const pages[] = { loop_page_touch, loop_write_cr3_touch,
		loop_write_cr3_kept_touch };
	struct timed t = { a[0], FAKE_CALL };
	uint64_t more = 0;

	if (is_one_of(loop, pages, 3)) {
		t = fake_call(e, loop_page_touch, a);
		more = a[0] * (ROUND + (loop == loop_page_touch ? 0 : WRITE));
	} else if (is_one_of(loop, of_ring_0, sizeof of_ring_0 / sizeof *of_ring_0)) {
		more = EACH * a[0];
	} else if (loop == loop_sysret_syscall) {
		more = EACH / 8 * a[0]; /* its count is of trips */
	} else if (loop == loop_wbinvd) {
		more = 0; /* privileged_wbinvd_test.c */
	} else if (loop == loop_syscall) {
		t.value = a[0] * 8 * (uint64_t)-9; /* "no such file" */
		more = EACH * a[0];
	} else {
		t = fake_call(e, loop, a);
		more = is_one_of(loop, here, 4) ? EACH * a[0] : 0;
	}
	t.ticks += more;
	fake_time += more;
	return t;
}

static int attempt(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS], const uint32_t *msrs,
	const char **why)
{
	assert_int_equal(1, a[0]);
	attempts++;
	for (; msrs && *msrs; msrs++)
		noted[nnoted++ % 8] = *msrs;
	*why = refusal ? refusal : loop == refused ? "general protection" : NULL;
	return *why ? -1 : 0;
}

/* PCID, INVPCID and SYSCALL, too; Intel. */
static struct cpuid has_all(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c = fake_cpuid(e, leaf, subleaf);

	if (leaf == 1)
		c.ecx |= 1 << 17;
	if (leaf == 7)
		c.ebx |= 1 << 10;
	if (leaf == 0x80000001)
		c.edx |= 1 << 11;
	if (leaf == 0)
		c = (struct cpuid){ 7, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4) /* 256 KiB of a second level */
		c = (struct cpuid){ subleaf ? 0 : 3 | 2 << 5, 7 << 22 | 63, 511, 0 };
	return c;
}

static struct cpuid has_none(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c = fake_cpuid(e, leaf, subleaf);

	if (leaf == 1)
		c.ecx &= ~(1U << 17);
	if (leaf == 7)
		c.ebx &= ~(1U << 10);
	if (leaf == 0x80000001)
		c.edx &= ~(1U << 11);
	return c;
}

static void start(const char *probes)
{
	prepare_run(probes, call);
	room.kind = ROOM_BARE;
	room.facts.ring0 = true;
	room.attempt = attempt;
	room.cpuid = has_all;
	attempts = 0;
	nnoted = 0;
	refusal = NULL;
	refused = NULL;
}

TEST(an_instruction_is_an_eighth_of_a_turn)
{
	static const char *const each[] = { "rdtsc", "cpuid", "verw", "cr3", "cr3-kept", "invlpg",
		"invpcid-address", "invpcid-context", "invpcid-all", "invpcid-local", "rdmsr",
		"rdmsr-apic", "wrmsr", "sti-cli", "swapgs", "port-in", "lgdt", "interrupt",
		"syscall" };

	start("privileged");
	assert_int_equal(0, bench_run(&room, &options));
	for (unsigned i = 0; i < sizeof each / sizeof *each; i++)
		expect(each[i], "median", EACH / 8.);
	expect("touch", "median", ROUND);
	expect("cr3-touch", "median", ROUND + WRITE);
	expect("cr3-kept-touch", "median", ROUND + WRITE);
	/* written with its own value, or restored: the room does that, too */
	static const uint32_t told[] = { 0xc0000102, 0xc0000081, 0xc0000082, 0xc0000084,
		0xc0000080 };

	assert_int_equal(5, nnoted);
	assert_memory_equal(told, noted, sizeof told);
	assert_int_equal(22, attempts); /* each that needs ring 0, once */
	assert_true(fabs(summary("cr3_cycles") - EACH / 8.) < 0.01);
	assert_true(fabs(summary("invlpg_cycles") - EACH / 8.) < 0.01);
	assert_true(fabs(summary("cpuid_cycles") - EACH / 8.) < 0.01);
}

/* A guest may not do one of them: that row is given up, and the others are measured. */
TEST(what_the_machine_refuses_is_a_skip)
{
	start("privileged");
	refused = loop_rdmsr;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("rdmsr", "the machine refuses it: general protection");
	expect_skip("rdmsr-apic", "the machine refuses it: general protection");
	expect("wrmsr", "median", EACH / 8.);
	expect("lgdt", "median", EACH / 8.);
}

TEST(in_ring_3_few_are_left)
{
	start("privileged");
	room.kind = ROOM_HOSTED;
	room.facts.ring0 = false;
	room.attempt = NULL;
	assert_int_equal(0, bench_run(&room, &options));
	expect("cpuid", "median", EACH / 8.);
	expect("verw", "median", EACH / 8.);
	expect("syscall", "median", EACH / 8.); /* of a system, which answers */
	expect_skip("interrupt", "needs ring 0");
	expect_skip("cr3", "needs ring 0");
	expect_skip("touch", "needs ring 0");
	assert_int_equal(0, attempts);
	assert_true(isnan(summary("cr3_cycles")));
}

TEST(without_pcid_invpcid_and_syscall)
{
	start("privileged:cr3-kept,privileged:invpcid-all,privileged:syscall,privileged:cr3");
	room.cpuid = has_none;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("cr3-kept", "no PCID (CPUID.1)");
	expect_skip("invpcid-all", "no INVPCID (CPUID.7)");
	expect_skip("syscall", "no SYSCALL (CPUID.80000001h)");
	expect("cr3", "median", EACH / 8.);
}
