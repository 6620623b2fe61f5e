/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/loops/loop_code.h"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Moves write their first operand; Capstone 4.0.2 calls it read if it is memory. */
static bool moves(const char *mnemonic)
{
	return begins(mnemonic, "mov") || begins(mnemonic, "vmov");
}

/*
 * Returns the bytes of a memory operand: those of a vector register beside it, which Capstone has
 * right.
 */
static unsigned width(csh handle, const cs_x86 *x, const cs_x86_op *memory)
{
	unsigned i;

	for (i = 0; i < x->op_count; i++) {
		const char *name = x->operands[i].type == X86_OP_REG
			? cs_reg_name(handle, x->operands[i].reg)
			: "";

		if (begins(name, "xmm") && memory->size > 8)
			return 16;
		if (begins(name, "ymm"))
			return 32;
		if (begins(name, "zmm"))
			return 64;
	}
	return memory->size;
}

static void one_memory(csh handle, struct code_insn *to, const cs_x86 *x, unsigned i)
{
	const cs_x86_op *op = &x->operands[i];
	bool first = i == 0, move = moves(to->mnemonic);
	bool nothing = begins(to->mnemonic, "lea") || begins(to->mnemonic, "nop") ||
		begins(to->mnemonic, "prefetch") || begins(to->mnemonic, "clflush") ||
		begins(to->mnemonic, "clwb");

	to->base = (int)op->mem.base;
	to->index = (int)op->mem.index;
	to->offset = op->mem.disp;
	if (nothing)
		return;
	if (first && move)
		to->store = width(handle, x, op);
	else
		to->load = width(handle, x, op);
	if (first && !move && strcmp(to->mnemonic, "cmp") && strcmp(to->mnemonic, "test"))
		to->store = to->load;
}

static void operands(csh handle, struct code_insn *to, const cs_x86 *x)
{
	unsigned i, n = x->op_count;

	for (i = 0; i < n; i++)
		if (x->operands[i].type == X86_OP_MEM)
			one_memory(handle, to, x, i);
	if (n && x->operands[0].type == X86_OP_REG)
		to->result = (int)x->operands[0].reg;
	to->cr3 = to->result == X86_REG_CR3;
	if (n > 1 && x->operands[1].type == X86_OP_REG)
		to->source = (int)x->operands[1].reg;
	to->immediate = n && x->operands[n - 1].type == X86_OP_IMM;
}

static void flow(csh handle, struct code_insn *to, const cs_insn *c)
{
	const cs_x86 *x = &c->detail->x86;

	to->conditional = to->mnemonic[0] == 'j' && strcmp(to->mnemonic, "jmp") != 0;
	to->jump = cs_insn_group(handle, c, CS_GRP_JUMP) || cs_insn_group(handle, c, CS_GRP_CALL) ||
		cs_insn_group(handle, c, CS_GRP_RET);
	to->direct = to->jump && x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
	if (to->direct)
		to->target = (uint64_t)x->operands[0].imm;
}

static void one(csh handle, struct code_insn *to, const cs_insn *c)
{
	const char *name = c->mnemonic;

	memset(to, 0, sizeof(*to));
	to->repeated = begins(name, "rep ");
	snprintf(to->mnemonic, sizeof(to->mnemonic), "%s", to->repeated ? name + 4 : name);
	to->at = c->address;
	to->bytes = c->size;
	operands(handle, to, &c->detail->x86);
	flow(handle, to, c);
}

void code_decode(struct decoded_code *code, const uint8_t *bytes, size_t n, uint64_t at)
{
	static csh handle;
	cs_insn *c;

	if (!handle && cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		fatal("Capstone does not start");
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	c = cs_malloc(handle);
	code->n = 0;
	while (n) {
		if (!cs_disasm_iter(handle, &bytes, &n, &at, c))
			fatal(".loops + %#lx: not an instruction", at);
		if (code->n == CODE_MOST)
			fatal(".loops + %#lx: more than %d instructions", at, CODE_MOST);
		one(handle, &code->insns[code->n++], c);
	}
	cs_free(c, 1);
}

static bool stamps(const struct code_insn *i)
{
	return !strcmp(i->mnemonic, "rdtsc") || !strcmp(i->mnemonic, "rdtscp");
}

/*
 * Returns the place behind the fence of the first stamp, if it has one within three instructions.
 */
static size_t behind(const struct decoded_code *c, size_t stamp)
{
	size_t i;

	for (i = stamp + 1; i < c->n && i < stamp + 4; i++)
		if (!strcmp(c->insns[i].mnemonic, "lfence"))
			return i + 1;
	return stamp + 1;
}

struct code_stretch code_timed(const struct decoded_code *c)
{
	size_t first = c->n, last = 0, i;

	for (i = 0; i < c->n; i++)
		if (stamps(&c->insns[i])) {
			first = first < i ? first : i;
			last = i;
		}
	if (first >= last)
		return (struct code_stretch){ 0, c->n - 1 };
	first = behind(c, first);
	last -= last && !strcmp(c->insns[last - 1].mnemonic, "lfence");
	return (struct code_stretch){ first, last - 1 };
}

bool code_closes(const struct decoded_code *c, struct code_stretch s, size_t insn)
{
	const struct code_insn *i = &c->insns[insn];

	return i->direct && strcmp(i->mnemonic, "call") && i->target <= i->at &&
		i->target >= c->insns[s.first].at;
}

struct code_stretch code_repeated(const struct decoded_code *c, size_t insn)
{
	size_t first = insn;

	while (first && c->insns[first].at > c->insns[insn].target)
		first--;
	return (struct code_stretch){ first, insn };
}

bool code_innermost(const struct decoded_code *c, struct code_stretch s)
{
	size_t i;

	for (i = s.first; i < s.last; i++)
		if (code_closes(c, s, i))
			return false;
	return true;
}

struct code_stretch code_body(const struct decoded_code *c, struct code_stretch all)
{
	struct code_stretch best = all, s;
	bool any = false;
	size_t i;

	for (i = all.first; i <= all.last && all.last < c->n; i++) {
		if (!code_closes(c, all, i))
			continue;
		s = code_repeated(c, i);
		if (!code_innermost(c, s) || (any && s.last - s.first <= best.last - best.first))
			continue;
		best = s;
		any = true;
	}
	return best;
}
