/* SPDX-License-Identifier: MIT */
#include <capstone/capstone.h>
#include <unicorn/unicorn.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/insn.h"
#include "tests/kam/run/register_map.h"

static const struct {
	unsigned names[4];
	int unicorn;
} general[16] = {
	{ { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL }, UC_X86_REG_RAX },
	{ { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL }, UC_X86_REG_RCX },
	{ { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL }, UC_X86_REG_RDX },
	{ { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL }, UC_X86_REG_RBX },
	{ { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL }, UC_X86_REG_RSP },
	{ { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL }, UC_X86_REG_RBP },
	{ { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL }, UC_X86_REG_RSI },
	{ { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL }, UC_X86_REG_RDI },
#define NEW(n)                                                                                     \
	{                                                                                          \
		{ X86_REG_R##n, X86_REG_R##n##D, X86_REG_R##n##W, X86_REG_R##n##B },               \
			UC_X86_REG_R##n                                                            \
	}
	NEW(8),
	NEW(9),
	NEW(10),
	NEW(11),
	NEW(12),
	NEW(13),
	NEW(14),
	NEW(15),
#undef NEW
};

static int find(unsigned capstone)
{
	int i, n;

	for (i = 0; i < 16; i++)
		for (n = 0; n < 4; n++)
			if (general[i].names[n] == capstone)
				return i;
	return -1;
}

uint64_t register_mask(unsigned capstone)
{
	int i = find(capstone);

	if (i >= 0)
		return REG_BIT(i);
	if (capstone >= X86_REG_XMM0 && capstone <= X86_REG_XMM15)
		return REG_VECTOR(capstone - X86_REG_XMM0);
	if (capstone == X86_REG_EFLAGS)
		return REG_FLAGS;
	if (capstone == X86_REG_INVALID || capstone == X86_REG_RIP)
		return 0;
	if (capstone == X86_REG_CS || capstone == X86_REG_SS) /* they stay what they are */
		return 0;
	if (capstone >= X86_REG_CR0 && capstone <= X86_REG_CR15) /* written by INSN_SERIAL only */
		return 0;
	if (capstone == X86_REG_FPSW || (capstone >= X86_REG_YMM0 && capstone <= X86_REG_YMM31))
		return 0; /* x87 and wide vectors: cleared around generated code, and not used */
	if (capstone == X86_REG_EIZ || capstone == X86_REG_RIZ)
		return 0;
	fatal("a register that the model does not have (Capstone's number %u)", capstone);
}

int register_unicorn(unsigned capstone)
{
	int i = find(capstone);

	return i < 0 ? 0 : general[i].unicorn;
}
