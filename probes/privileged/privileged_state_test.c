/* SPDX-License-Identifier: MIT */
/* Rows of `privileged` that save and restore the vector state, on a processor that is made up. */
#include "tests/unit/lines_of_rows.h"

#define EACH   16 /* ticks of eight instructions */
#define AREA   4096
#define XMM    160
#define HEADER 512

static uint64_t also;     /* components reported as in use, whatever was restored */
static uint32_t extended; /* bytes of the third component */
static unsigned lost;     /* the place of a byte that is saved wrongly; 0: none */
static unsigned attempts;
static uint64_t mask; /* that the loops were told */

static bool saves(loop_fn *loop)
{
	return loop == loop_xsave || loop == loop_xsaveopt || loop == loop_xsavec ||
		loop == loop_xrstor;
}

/*
 * Save the state as the loop would. XSAVEC stores all that follows the header at other offsets, so
 * fill that with 0xee.
 */
static void save(loop_fn *loop, unsigned char *state, unsigned char *saved)
{
	uint64_t in_use;

	memcpy(&in_use, state + HEADER, 8);
	memcpy(saved, state, AREA);
	if (loop == loop_xsavec)
		memset(saved + HEADER + 64, 0xee, AREA - HEADER - 64);
	saved[lost] ^= lost != 0;
	in_use |= also;
	memcpy(saved + HEADER, &in_use, 8);
	assert_int_equal(0x37f, state[0] | state[1] << 8);
	assert_int_equal(0x1f80, state[24] | state[25] << 8);
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	unsigned char *areas = (unsigned char *)(uintptr_t)a[1];
	struct timed t = { a[0], FAKE_CALL + EACH * a[0] };

	if (!saves(loop))
		return fake_call(e, loop, a);
	assert_int_equal(0, a[1] % 64);
	mask = a[2];
	save(loop, areas, areas + AREA);
	fake_time += t.ticks;
	return t;
}

static int attempt(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS], const uint32_t *msrs,
	const char **why)
{
	assert_null(msrs);
	assert_int_equal(1, a[0]);
	attempts++;
	*why = loop == loop_xsavec ? "invalid opcode" : NULL;
	if (!*why)
		call(e, loop, a);
	return *why ? -1 : 0;
}

/* The components as Intel has them: SDM vol. 1, 13.4.3. */
static struct cpuid has_all(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	static const struct cpuid components[8] = { [2] = { .eax = 256, .ebx = 576 },
		[5] = { .eax = 64, .ebx = 1088 },
		[6] = { .eax = 512, .ebx = 1152 },
		[7] = { .eax = 1024, .ebx = 1664 } };
	struct cpuid c = fake_cpuid(e, leaf, subleaf);

	if (leaf == 0)
		c.eax = 0xd;
	if (leaf == 1)
		c.ecx |= 1 << 26 | 1 << 28;
	if (leaf == 7)
		c.ebx |= 1 << 16 | 1 << 30;
	if (leaf == 0xd && subleaf == 1)
		c.eax = 3;
	if (leaf == 0xd && subleaf > 1)
		c = subleaf < 8 ? components[subleaf] : (struct cpuid){ 0 };
	if (leaf == 0xd && subleaf == 2 && extended)
		c.eax = extended;
	return c;
}

static void start(const char *probes, uint64_t xcr0)
{
	prepare_run(probes, call);
	room.cpuid = has_all;
	room.facts.xcr0 = xcr0;
	also = extended = lost = attempts = 0;
}

static const char *const kinds[] = { "xsave", "xsaveopt", "xsavec", "xrstor" };

TEST(an_instruction_is_an_eighth_of_a_turn)
{
	static const char *const states[] = { "sse", "avx", "avx512" };
	char name[32];

	start("privileged", 0x602e7); /* with keys and tiles, which are left alone */
	assert_int_equal(0, bench_run(&room, &options));
	assert_int_equal(0xe7, mask);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 3; k++) {
			snprintf(name, sizeof name, "%s-%s", kinds[i], states[k]);
			expect(name, "median", EACH / 8.);
		}
}

TEST(states_that_are_not_there)
{
	start("privileged", 3);
	assert_int_equal(0, bench_run(&room, &options));
	assert_int_equal(3, mask);
	expect("xsaveopt-sse", "median", EACH / 8.);
	expect_skip("xsaveopt-avx", "no AVX (CPUID.1 or XCR0)");
	expect_skip("xrstor-avx512", "no AVX-512 (CPUID.7 or XCR0)");
	start("privileged", 0);
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("xsave-sse", "no XSAVE (CPUID.1 or XCR0)");
}

/*
 * Some emulators report every component as in use: then only the row of all components can be
 * measured.
 */
TEST(what_else_is_in_use)
{
	start("privileged", 7);
	also = 7;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("xsave-sse", "the processor says that components 0x7 are in use");
	expect("xsave-avx", "median", EACH / 8.);
}

TEST(what_is_saved_is_compared)
{
	static const unsigned places[] = { XMM, XMM + 255, 576, 576 + 255 };

	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		start("privileged:xsave-avx", 7);
		lost = places[i];
		assert_int_equal(1, bench_run(&room, &options));
		expect_skip("xsave-avx", "proof failed: memory is not as plain C says");
	}
	start("privileged:xsavec-avx", 7); /* the processor places the second component */
	lost = 576;
	assert_int_equal(0, bench_run(&room, &options));
	expect("xsavec-avx", "median", EACH / 8.);
}

TEST(a_state_that_is_too_large)
{
	start("privileged:xsave-avx", 7);
	extended = AREA;
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("xsave-avx", "the state of CPUID.Dh is larger than 4096 bytes");
}

TEST(in_ring_0_it_is_tried)
{
	start("privileged:xsave-sse,privileged:xsavec-sse", 3);
	room.kind = ROOM_BARE;
	room.facts.ring0 = true;
	room.attempt = attempt;
	assert_int_equal(0, bench_run(&room, &options));
	assert_int_equal(2, attempts);
	expect("xsave-sse", "median", EACH / 8.);
	expect_skip("xsavec-sse", "the machine refuses it: invalid opcode");
}
