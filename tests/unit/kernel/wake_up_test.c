/* SPDX-License-Identifier: MIT */
/* Timers whose deadline cannot be believed; and what a wait leaves of a processor's vectors. */
#include "kernel/cpu/x86.h"
#include "kernel/smp/apic.h"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

static uint64_t idt[256][2];
static unsigned listens, acknowledged;

static void give_idt(struct table_register *r)
{
	*r = (struct table_register){ sizeof idt - 1, (uint64_t)idt };
}

static void listen(struct apic_listener *l)
{
	listens++;
}

static void listen_end(const struct apic_listener *l, bool interrupt)
{
	listens--;
	acknowledged += interrupt;
}

#define store_idt       give_idt
#define apic_listen     listen
#define apic_listen_end listen_end
#include "kernel/smp/wake_up.c"

static bool is_wrong(uint32_t signature, uint32_t features, uint32_t microcode)
{
	const struct cpuid_answer answers[] = { INTEL, { 1, { signature, 0, features, 0 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };

	MACHINE(answers, none);
	return deadline_is_wrong(&test_cpu, microcode);
}

TEST(errata_of_the_deadline)
{
	assert_true(is_wrong(0x306c3, 0, 0x21));
	assert_false(is_wrong(0x306c3, 0, 0x22));
	assert_false(is_wrong(0x306c3, CPUID_HYPERVISOR, 0x21)); /* the host's matter */
	assert_true(is_wrong(0x306f2, 0, 0x39));
	assert_false(is_wrong(0x306f3, 0, 0)); /* a stepping that Linux does not name */
	assert_true(is_wrong(0x50654, 0, 0x02000013));
	assert_false(is_wrong(0x50657, 0, 0x02000013)); /* Cascade Lake */
	assert_true(is_wrong(0x906ea, 0, 0x51));
	assert_false(is_wrong(0x90672, 0, 0)); /* Alder Lake */
}

/* Both vectors lead to the wait's entries, on the stacks that their gates name; then as before. */
TEST(the_vectors_are_put_back)
{
	static const uint64_t stack = 2ULL << 32, ours = 0xffff00000000ffff;
	uint64_t was[256][2];
	struct prepared p;

	for (unsigned i = 0; i < 256; i++) {
		idt[i][0] = 0x12348e0000085678 | stack | i;
		idt[i][1] = 0x9abc + i;
	}
	memcpy(was, idt, sizeof was);
	for (unsigned interrupt = 0; interrupt < 2; interrupt++) {
		listens = acknowledged = 0;
		prepare(&p);
		assert_int_equal(1, listens);
		for (unsigned i = 0; i < 256; i++) {
			bool leads = i == VECTOR_NMI || i == VECTOR_WAKE;
			uint64_t to =
				(uint64_t)(i == VECTOR_NMI ? wake_nmi_entry : wake_interrupt_entry);

			assert_int_equal(was[i][0] & ~ours, idt[i][0] & ~ours);
			assert_int_equal(leads ? to >> 32 : was[i][1], idt[i][1]);
			assert_int_equal(leads ? (to & 0xffff) | (to >> 16 & 0xffff) << 48
					       : was[i][0] & ours,
				idt[i][0] & ours);
		}
		wake_answer = interrupt ? ANSWER_INTERRUPT : ANSWER_STORE;
		put_back(&p);
		assert_int_equal(0, listens);
		assert_int_equal(interrupt, acknowledged);
		assert_memory_equal(was, idt, sizeof was);
	}
}
