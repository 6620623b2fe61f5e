/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/judge/turn_padding.h"
#include "tests/kam/loops/loop_code.h"

#define FILLER 0xcc /* int3, between two loops */

static const unsigned char *address(loop_fn *loop)
{
	return (const unsigned char *)(uintptr_t)loop;
}

size_t loop_bytes(loop_fn *loop)
{
	static loop_fn *const all[] = {
#define LOOP(name, rule) loop_##name,
#include "probes/loops/loops.inc"
#undef LOOP
	};
	const unsigned char *code = address(loop), *end = loops_end;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (address(all[i]) > code && address(all[i]) < end)
			end = address(all[i]);
	while (end > code && end[-1] == FILLER)
		end--;
	return (size_t)(end - code);
}

/* Returns true for a nop; `xchg %ax, %ax` is one of two bytes. */
static bool does_nothing(const struct code_insn *i)
{
	return !strcmp(i->mnemonic, "nop") ||
		(!strcmp(i->mnemonic, "xchg") && !i->load && i->result == i->source);
}

unsigned turn_padding(loop_fn *loop)
{
	static struct decoded_code code;
	struct code_stretch turn;
	unsigned n = 0;

	code_decode(&code, address(loop), loop_bytes(loop), 0);
	turn = code_body(&code, code_timed(&code));
	for (size_t i = turn.first; i <= turn.last; i++)
		n += does_nothing(&code.insns[i]);
	return n;
}
