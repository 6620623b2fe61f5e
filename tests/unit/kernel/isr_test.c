/* SPDX-License-Identifier: MIT */
/* The entries of exceptions, entered as the processor enters them: IRET returns in ring 3, too. */
#include "kernel/cpu/fault.h"
#include "tests/unit/test.h"

#define ENTRIES 33 /* 16 bytes apart, as in kernel/cpu/isr.S */
#define ERROR   0x1234
#define DF      0x400

extern const unsigned char isr_entries[];

struct saved_registers {
	uint64_t general[15]; /* in the order of struct frame */
	unsigned char vectors[16][16];
};

struct saved_registers isr_before, isr_after;
uint64_t isr_entry, isr_pushes_error, isr_returned_flags;
static struct frame seen;
static bool forward; /* while the handler runs, the direction of strings */

void fault_entry(struct frame *);
void isr_enter(void);

/* rsp is what it was when the frame was pushed, or the return would fail. */
__asm__(".text\n"
	"isr_enter:\n\t"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n\t"
	"mov %rsp, %rcx; mov %ss, %eax; push %rax; push %rcx; std; pushfq\n\t"
	"mov %cs, %eax; push %rax\n\t"
	"lea 2f(%rip), %rax; push %rax; cmpq $0, isr_pushes_error(%rip); je 1f; push $0x1234\n"
	"1:\n\t"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
	"movdqu isr_before + 120 + 16 * \\n(%rip), %xmm\\n\n\t"
	".endr\n\t"
	".set at, 0\n\t"
	".irp r, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax\n\t"
	"mov isr_before + at(%rip), %\\r\n\t"
	".set at, at + 8\n\t"
	".endr\n\t"
	"jmp *isr_entry(%rip)\n"
	"2:\n\t"
	".set at, 0\n\t"
	".irp r, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax\n\t"
	"mov %\\r, isr_after + at(%rip)\n\t"
	".set at, at + 8\n\t"
	".endr\n\t"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
	"movdqu %xmm\\n, isr_after + 120 + 16 * \\n(%rip)\n\t"
	".endr\n\t"
	"pushfq; cld; pop %rax; mov %rax, isr_returned_flags(%rip)\n\t"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n\t"
	"ret\n");

/* Instead of the kernel's: it leaves nothing in the registers that it may use. */
void fault_entry(struct frame *f)
{
	uint64_t flags;

	__asm__ volatile("pushfq; pop %0" : "=r"(flags));
	forward = !(flags & DF);
	seen = *f;
	__asm__ volatile(
		"xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%esi, %%esi; xor %%r8d, %%r8d\n\t"
		"xor %%r9d, %%r9d; xor %%r10d, %%r10d; xor %%r11d, %%r11d\n\t"
		".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
		"pxor %%xmm\\n, %%xmm\\n\n\t"
		".endr" ::
			: "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "xmm0", "xmm1",
		"xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
		"xmm12", "xmm13", "xmm14", "xmm15");
}

/* SDM vol. 3A, table 6-1. */
static bool has_error(unsigned vector)
{
	return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21;
}

TEST(each_vector_is_told_and_all_registers_come_back)
{
	for (unsigned i = 0; i < sizeof isr_before; i++)
		((unsigned char *)&isr_before)[i] = (unsigned char)(i * 7 + i / 256 + 1);
	for (unsigned vector = 0; vector < ENTRIES; vector++) {
		isr_entry = (uintptr_t)(isr_entries + 16 * vector);
		isr_pushes_error = has_error(vector);
		memset(&isr_after, 0, sizeof isr_after);
		isr_enter();
		if (seen.vector != vector || seen.error != (has_error(vector) ? ERROR : 0))
			fail_msg("entry %u: came vector %lu, error %#lx", vector, seen.vector,
				seen.error);
		assert_memory_equal(&seen, isr_before.general, sizeof isr_before.general);
		assert_memory_equal(isr_after.general, isr_before.general,
			sizeof isr_before.general);
		assert_memory_equal(isr_after.vectors, isr_before.vectors,
			sizeof isr_before.vectors);
		assert_true(forward && isr_returned_flags & DF);
	}
}
