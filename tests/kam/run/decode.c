/* SPDX-License-Identifier: MIT */
/*
 * Capstone finds the operands; which of them are read and written comes from the forms here,
 * because Capstone 4.0.2 calls the memory that movdqa, movups or movnti write a source.
 */
#include <string.h>

#include <capstone/capstone.h>

#include "tests/kam/run/decode.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/register_map.h"

enum form {
	FORM_MOVE,     /* first operand = the others */
	FORM_CHANGE,   /* first operand = itself and the others */
	FORM_MULTIPLY, /* two operands: CHANGE, three: MOVE, one: COMPARE */
	FORM_COMPARE,  /* reads all operands; writes what is implicit */
	FORM_LEA,
	FORM_IMPLICIT, /* no operands */
	FORM_EXCHANGE,
	FORM_LOCKED,          /* memory = itself and the other one */
	FORM_LOCKED_EXCHANGE, /* both are written */
	FORM_PUSH,
	FORM_POP,
	FORM_NOTHING,
	FORM_STREAM,
	FORM_FLUSH,
	FORM_PREFETCH,
	FORM_LFENCE,
	FORM_MFENCE,
	FORM_SFENCE,
	FORM_RDTSC,
	FORM_RDTSCP,
	FORM_CPUID,
	FORM_SERIAL,         /* reads all operands */
	FORM_SERIAL_WRITE,   /* first operand = the others */
	FORM_SERIAL_ADDRESS, /* an address, at which nothing is accessed */
	FORM_JUMP,
	FORM_CALL,
	FORM_RETURN,
	FORM_BRANCH,
};

static const struct form_of {
	const char *mnemonic;
	enum form form;
	enum insn_cost cost;
} forms[] = {
#define FORM(mnemonic, form, cost) { mnemonic, form, cost },
#include "tests/kam/run/insn_forms.inc"
#undef FORM
};

static const enum insn_kind kinds[] = {
	[FORM_LOCKED] = INSN_LOCKED,
	[FORM_LOCKED_EXCHANGE] = INSN_LOCKED,
	[FORM_STREAM] = INSN_STREAM,
	[FORM_FLUSH] = INSN_FLUSH,
	[FORM_PREFETCH] = INSN_PREFETCH,
	[FORM_LFENCE] = INSN_LFENCE,
	[FORM_MFENCE] = INSN_MFENCE,
	[FORM_SFENCE] = INSN_SFENCE,
	[FORM_RDTSC] = INSN_RDTSC,
	[FORM_RDTSCP] = INSN_RDTSCP,
	[FORM_CPUID] = INSN_CPUID,
	[FORM_SERIAL] = INSN_SERIAL,
	[FORM_SERIAL_WRITE] = INSN_SERIAL,
	[FORM_SERIAL_ADDRESS] = INSN_SERIAL,
	[FORM_JUMP] = INSN_JUMP,
	[FORM_CALL] = INSN_CALL,
	[FORM_RETURN] = INSN_RETURN,
	[FORM_BRANCH] = INSN_BRANCH,
};

static const struct form_of *form_of(const cs_insn *c)
{
	size_t i, n;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		n = strlen(forms[i].mnemonic);
		if (forms[i].mnemonic[n - 1] == '*'
				? !strncmp(forms[i].mnemonic, c->mnemonic, n - 1)
				: !strcmp(forms[i].mnemonic, c->mnemonic))
			return &forms[i];
	}
	return NULL;
}

static void implicit(struct insn *i, const cs_detail *d)
{
	unsigned n;

	for (n = 0; n < d->regs_read_count; n++)
		i->sources |= register_mask(d->regs_read[n]);
	for (n = 0; n < d->regs_write_count; n++)
		i->results |= register_mask(d->regs_write[n]);
}

static void memory(struct decoded *d, const cs_x86_op *op)
{
	if (op->mem.segment != X86_REG_INVALID)
		fatal("%#lx: a segment", d->insn.address);
	d->insn.address_sources |= register_mask(op->mem.base) | register_mask(op->mem.index);
	d->insn.indexed = op->mem.index != X86_REG_INVALID;
	if (!d->insn.indexed && register_mask(op->mem.base))
		d->insn.place = (uint64_t)op->mem.base << 32 | (uint32_t)op->mem.disp;
	d->operand = (struct address_operand){ register_unicorn(op->mem.base),
		register_unicorn(op->mem.index), op->mem.scale, op->mem.disp };
	if (op->mem.base == X86_REG_RIP)
		d->operand = (struct address_operand){ 0, 0, 1,
			(int64_t)(d->insn.address + d->insn.bytes) + op->mem.disp };
}

static void read_operand(struct decoded *d, const cs_x86_op *op)
{
	if (op->type == X86_OP_REG)
		d->insn.sources |= register_mask(op->reg);
	if (op->type == X86_OP_MEM) {
		memory(d, op);
		d->insn.load_bytes = op->size;
	}
}

static void write_operand(struct decoded *d, const cs_x86_op *op)
{
	if (op->type == X86_OP_REG) {
		d->insn.results |= register_mask(op->reg);
		if (op->size < 4) /* the rest of the register stays */
			d->insn.sources |= register_mask(op->reg);
	}
	if (op->type == X86_OP_MEM) {
		memory(d, op);
		d->insn.store_bytes = op->size;
	}
}

/* x ^ x and x - x wait for nothing. */
static bool zero_idiom(const cs_insn *c, const cs_x86 *x)
{
	return x->op_count == 2 && x->operands[0].type == X86_OP_REG &&
		x->operands[1].type == X86_OP_REG && x->operands[0].reg == x->operands[1].reg &&
		(!strcmp(c->mnemonic, "xor") || !strcmp(c->mnemonic, "sub") ||
			!strcmp(c->mnemonic, "pxor") || !strcmp(c->mnemonic, "xorps"));
}

static enum form multiply_form(enum form form, const cs_x86 *x)
{
	static const enum form multiply[] = { FORM_COMPARE, FORM_COMPARE, FORM_CHANGE, FORM_MOVE };

	return form == FORM_MULTIPLY ? multiply[x->op_count & 3] : form;
}

static void operands(struct decoded *d, const cs_x86 *x, enum form form)
{
	bool keeps = form == FORM_MOVE || form == FORM_STREAM || form == FORM_SERIAL_WRITE;
	bool both = form == FORM_EXCHANGE || form == FORM_LOCKED_EXCHANGE;
	bool writes = keeps || both || form == FORM_CHANGE || form == FORM_LOCKED;
	unsigned n;

	for (n = 0; n < x->op_count; n++) {
		if (n > 0 || !keeps)
			read_operand(d, &x->operands[n]);
		if ((n == 0 && writes) || both)
			write_operand(d, &x->operands[n]);
	}
}

/* A load or store that computes nothing takes no arithmetic port. */
static enum insn_cost plain_cost(const struct insn *i, enum form form, enum insn_cost cost)
{
	bool memory = i->load_bytes || i->store_bytes;

	return form == FORM_MOVE && cost == COST_ONE && memory ? COST_NONE : cost;
}

static void stack(struct insn *i, enum form form)
{
	uint64_t rsp = register_mask(X86_REG_RSP);

	i->sources &= ~rsp; /* its value is known to the front end, without waiting */
	i->results &= ~rsp;
	if (form == FORM_PUSH || form == FORM_CALL)
		i->store_bytes = 8;
	else
		i->load_bytes = 8;
}

static void flow(struct decoded *d, const cs_x86 *x, enum form form)
{
	const cs_x86_op *op = &x->operands[0];

	if (form == FORM_RETURN) {
		stack(&d->insn, form);
		return;
	}
	if (op->type != X86_OP_IMM) {
		read_operand(d, op);
		d->insn.kind = form == FORM_CALL ? INSN_CALL_INDIRECT : INSN_JUMP_INDIRECT;
	}
	if (form == FORM_CALL)
		stack(&d->insn, form);
}

static void by_form(struct decoded *d, const cs_x86 *x, enum form form)
{
	unsigned n;

	switch (form) {
	case FORM_PUSH:
		read_operand(d, &x->operands[0]);
		stack(&d->insn, form);
		break;
	case FORM_POP:
		write_operand(d, &x->operands[0]);
		d->insn.results &= ~register_mask(X86_REG_RSP);
		stack(&d->insn, form);
		break;
	case FORM_LEA:
		memory(d, &x->operands[1]);
		d->insn.sources = d->insn.address_sources;
		d->insn.address_sources = 0;
		d->insn.indexed = false;
		write_operand(d, &x->operands[0]);
		break;
	case FORM_FLUSH:
	case FORM_PREFETCH:
	case FORM_SERIAL_ADDRESS:
		memory(d, &x->operands[0]);
		break;
	case FORM_JUMP:
	case FORM_CALL:
	case FORM_RETURN:
		flow(d, x, form);
		break;
	case FORM_NOTHING:
		break;
	case FORM_BRANCH:
		for (n = 0; n < x->op_count; n++)
			if (x->operands[n].type != X86_OP_IMM)
				fatal("%#lx: a branch with an operand", d->insn.address);
		break;
	default:
		operands(d, x, form);
	}
}

static bool whole_register(const cs_x86_op *op)
{
	return op->type == X86_OP_REG && op->size >= 4 && register_mask(op->reg) < REG_VECTOR(0);
}

/*
 * inc, dec, add and sub of -1024 to 1023: what Golden Cove does at rename (computerenhance.com,
 * "The Case of the Missing Increment"; the constants: tavianator.com, "The Alder Lake SHLX
 * anomaly").
 */
static bool adds_small(const cs_x86 *x, enum form form, const char *mnemonic)
{
	bool one = !strcmp(mnemonic, "inc") || !strcmp(mnemonic, "dec");
	bool sum = !strcmp(mnemonic, "add") || !strcmp(mnemonic, "sub");

	if (form != FORM_CHANGE || x->op_count < 1 || !whole_register(&x->operands[0]))
		return false;
	return one ||
		(sum && x->operands[1].type == X86_OP_IMM && x->operands[1].imm >= -1024 &&
			x->operands[1].imm < 1024);
}

/* A copy of a register; a move of 16 bytes is another matter and not marked. */
static bool copies_register(const cs_x86 *x, enum form form, const char *mnemonic)
{
	return form == FORM_MOVE && !strcmp(mnemonic, "mov") && whole_register(&x->operands[0]) &&
		whole_register(&x->operands[1]);
}

/* lgdt and sgdt: a limit of 16 bits and an address, which Capstone has as those of 32 bits. */
#define TABLE_REGISTER 10

/* Moves to control registers, which the table has as moves; widths that Capstone has wrong. */
static void system_form(struct decoded *d, const cs_x86 *x)
{
	if (x->op_count == 2 && x->operands[0].type == X86_OP_REG &&
		x->operands[0].reg == X86_REG_CR3) {
		d->insn.kind = INSN_SERIAL;
		d->insn.cost = COST_CR3;
	}
	if (d->insn.kind == INSN_SERIAL && d->insn.cost == COST_LGDT) {
		d->insn.load_bytes = d->insn.load_bytes ? TABLE_REGISTER : 0;
		d->insn.store_bytes = d->insn.store_bytes ? TABLE_REGISTER : 0;
	}
}

static void one(const cs_insn *c, const struct form_of *f, struct decoded *d)
{
	const cs_x86 *x = &c->detail->x86;
	enum form form = multiply_form(f->form, x);

	memset(d, 0, sizeof(*d));
	d->insn.address = c->address;
	d->insn.bytes = (uint8_t)c->size;
	d->insn.cost = f->cost;
	d->insn.kind = (size_t)form < sizeof(kinds) / sizeof(*kinds) ? kinds[form] : INSN_PLAIN;
	implicit(&d->insn, c->detail);
	by_form(d, x, form);
	d->insn.cost = plain_cost(&d->insn, form, f->cost);
	system_form(d, x);
	if (form == FORM_EXCHANGE && d->insn.store_bytes) { /* without a prefix as well */
		d->insn.kind = INSN_LOCKED;
		d->insn.cost = COST_XCHG;
	}
	d->insn.small = adds_small(x, form, c->mnemonic);
	d->insn.copies = copies_register(x, form, c->mnemonic);
	d->insn.hard = x->prefix[2] == X86_PREFIX_OPSIZE && x->encoding.imm_size == 2;
	if (zero_idiom(c, x))
		d->insn.sources = 0;
}

static void __attribute__((noreturn)) not_understood(const cs_insn *c)
{
	fatal("%#lx: '%s %s' is not understood: add it to tests/kam/run/insn_forms.inc", c->address,
		c->mnemonic, c->op_str);
}

/* Opened once: Capstone builds an index of all instructions for each handle. */
static csh capstone(void)
{
	static csh handle;

	if (handle)
		return handle;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		fatal("Capstone does not start");
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	return handle;
}

size_t decode(const void *code, size_t bytes, size_t all, uint64_t address, struct decoded *out,
	size_t max)
{
	uint64_t end = address + bytes;
	const struct form_of *form;
	const uint8_t *at = code;
	size_t n = 0;
	csh handle = capstone();
	cs_insn *c = cs_malloc(handle);

	while (address < end) {
		if (cs_disasm_iter(handle, &at, &all, &address, c)) {
			form = form_of(c);
			if (n == max)
				fatal("%#lx: more than %lu instructions", address, max);
			if (!form)
				not_understood(c);
			one(c, form, &out[n++]);
		} else {
			fatal("%#lx: not an instruction", address);
		}
	}
	cs_free(c, 1);
	return n;
}
