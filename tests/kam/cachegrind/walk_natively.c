/* SPDX-License-Identifier: MIT */
/*
 * walk_natively NAME BYTES LINE PASSES: lays a walk out and executes it, once, under cachegrind.
 * The 8 bytes that the loop returned are its output: to print a number takes longer if it is
 * larger.
 */
#include <stdio.h>

#include "tests/kam/cachegrind/cache_walks.h"

/* Calls a loop on the walks' own stack, whose sets must not depend on where the system puts one. */
static uint64_t call(const struct cache_walk *w)
{
	register uint64_t r8 __asm__("r8") = w->args[4];
	register uint64_t r9 __asm__("r9") = w->args[5];
	uint64_t value, rdi = w->args[0], rsi = w->args[1], rdx = w->args[2], rcx = w->args[3];

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %[top], %%rsp\n\t"
			 "call *%[loop]\n\t"
			 "mov %%rbx, %%rsp"
			 : "=a"(value), "+D"(rdi), "+S"(rsi), "+d"(rdx), "+c"(rcx), "+r"(r8),
			 "+r"(r9)
			 : [top] "r"(walk_stack_top()), [loop] "0"(w->loop)
			 : "rbx", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
			 "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
			 "xmm13", "xmm14", "xmm15");
	return value;
}

int main(int n, char **words)
{
	struct cache_walk w;

	if (n != 5) {
		fprintf(stderr, "usage: walk_natively NAME BYTES LINE PASSES\n");
		return 2;
	}
	w = walk_of(words + 1);
	walk_map();
	walk_lay_out(&w);
	uint64_t value = call(&w);

	return fwrite(&value, sizeof(value), 1, stdout) != 1;
}
