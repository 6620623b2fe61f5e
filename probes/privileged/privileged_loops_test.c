/* SPDX-License-Identifier: MIT */
/*
 * The loops of `privileged`. In ring 3 those that need ring 0 can only show that they do: a turn
 * faults, and none, where nothing stands before it, returns 0. tests/boot runs them.
 */
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

static sigjmp_buf back;
static uint64_t on_stack[2]; /* where the loop was refused */

static void refused(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;

	memcpy(on_stack, (void *)at->uc_mcontext.gregs[REG_RSP], sizeof on_stack);
	siglongjmp(back, signal);
}

/* The signal that a call raised, 0: none, and *value is what it returned. */
static int attempted(loop_fn *loop, uint64_t n, uint64_t a, uint64_t b, uint64_t *value)
{
	struct sigaction catch = { .sa_sigaction = refused, .sa_flags = SA_NODEFER | SA_SIGINFO },
			 segv, ill;
	int came;

	sigaction(SIGSEGV, &catch, &segv);
	sigaction(SIGILL, &catch, &ill);
	came = sigsetjmp(back, 1);
	if (!came)
		*value = loop(n, a, b, 0, 0, 0).value;
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGILL, &ill, NULL);
	return came;
}

static uint64_t selector(void)
{
	uint16_t s;

	__asm__("mov %%ss, %0" : "=r"(s));
	return s;
}

TEST(turns_are_returned)
{
	for (uint64_t n = 0; n < 24; n++) {
		assert_int_equal(n, call_kernel("cpuid", loop_cpuid, n, 0, 0, 0, 0));
		assert_int_equal(n, call_kernel("verw", loop_verw, n, selector(), 0, 0, 0));
	}
	assert_int_equal(100,
		call_kernel("verw", loop_verw, 100, 0, 0, 0, 0)); /* one that may not */
}

/* Linux has no file -1, and says so each time. */
TEST(a_system_answers)
{
	for (uint64_t n = 0; n < 24; n++)
		assert_int_equal(n * 8 * (uint64_t)-EBADF,
			call_kernel("syscall", loop_syscall, n, 0, 0, 0, 0));
}

/* Each of up to 64 pages by a line of its own, up to the last word before a page that faults. */
TEST(pages_are_touched)
{
	for (uint64_t pages = 1; pages <= 64; pages++)
		for (uint64_t n = 0; n < 4; n++) {
			size_t bytes = (pages - 1) * 4160 + 8;
			unsigned char *begin = guarded_side(0, bytes, n & 1);
			uint64_t sum = 0;

			for (uint64_t i = 0; i < pages; i++) {
				uint64_t word = 0x123456789abcdefULL * (i + 1);

				memcpy(begin + i * 4160, &word, 8);
				sum += word;
			}
			uint64_t value = call_kernel("page_touch", loop_page_touch, n,
				(uintptr_t)begin, pages, 0, 0);

			if (value != n * sum)
				fail_msg("%lu turns of %lu pages: expected %#lx, came %#lx", n,
					pages, n * sum, value);
		}
}

TEST(without_ring_0_a_turn_is_refused)
{
	static const struct {
		const char *name;
		loop_fn *loop;
		bool reads_first; /* a privileged register, before the turns */
	} loops[] = {
		{ "write_cr3", loop_write_cr3, true },
		{ "write_cr3_kept", loop_write_cr3_kept, true },
		{ "write_cr3_touch", loop_write_cr3_touch, true },
		{ "write_cr3_kept_touch", loop_write_cr3_kept_touch, true },
		{ "wrmsr", loop_wrmsr, true },
		{ "interrupt", loop_interrupt, true },
		{ "sysret_syscall", loop_sysret_syscall, true },
		{ "invlpg", loop_invlpg, false },
		{ "invpcid", loop_invpcid, false },
		{ "rdmsr", loop_rdmsr, false },
		{ "sti_cli", loop_sti_cli, false },
		{ "swapgs", loop_swapgs, false },
		{ "wbinvd", loop_wbinvd, false },
		{ "port_in", loop_port_in, false },
	};

	for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
		for (uint64_t n = 0; n < 20; n++) {
			uint64_t value = 1;
			int came = attempted(loops[i].loop, n, 0, 0, &value);
			bool should = n || loops[i].reads_first;

			if (!came == should || (!should && value))
				fail_msg("%s of %lu turns: signal %d, value %lu", loops[i].name, n,
					came, value);
		}
}

/* INVPCID's descriptor: the PCID, and above it the address (Intel SDM 2A, INVPCID). */
TEST(what_invpcid_is_to_forget)
{
	uint64_t address = (uintptr_t)&back, value;

	for (uint64_t type = 0; type < 4; type++) {
		assert_int_not_equal(attempted(loop_invpcid, 1, type, address, &value), 0);
		assert_true(on_stack[0] == 0 && on_stack[1] == address);
	}
}

#define MSR_VALUE 0x123456789abcdef0ULL

static unsigned written, wrong;

/* RDMSR and WRMSR of a register that has MSR_VALUE, as the processor does them in ring 0. */
static void emulate(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *at = (const unsigned char *)r[REG_RIP];

	if (at[0] != 0x0f || (at[1] != 0x30 && at[1] != 0x32))
		siglongjmp(back, signal);
	if (at[1] == 0x30) {
		written++;
		wrong += (uint32_t)r[REG_RCX] != 0x1b ||
			(uint32_t)r[REG_RAX] != (uint32_t)MSR_VALUE ||
			(uint32_t)r[REG_RDX] != MSR_VALUE >> 32;
	} else {
		r[REG_RAX] = (uint32_t)MSR_VALUE;
		r[REG_RDX] = MSR_VALUE >> 32;
	}
	r[REG_RIP] += 2;
}

TEST(wrmsr_writes_what_was_there)
{
	struct sigaction catch = { .sa_sigaction = emulate, .sa_flags = SA_NODEFER | SA_SIGINFO },
			 before;

	written = wrong = 0;
	sigaction(SIGSEGV, &catch, &before);
	if (!sigsetjmp(back, 1))
		assert_int_equal(loop_wrmsr(3, 0x1b, 0, 0, 0, 0).value, 3);
	sigaction(SIGSEGV, &before, NULL);
	assert_int_equal(written, 3 * 8);
	assert_int_equal(wrong, 0);
}
