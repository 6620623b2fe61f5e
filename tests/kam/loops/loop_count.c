/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/loops/loop_count.h"

#define REGISTERS 512 /* ids of Capstone */

/*
 * Returns the text behind the prefix: "8" for "load8" and "load"; NULL if the word does not begin
 * with it.
 */
static const char *after(const char *word, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(word, prefix, n) ? NULL : word + n;
}

static bool number(const char *text)
{
	return !*text || isdigit((unsigned char)*text);
}

static bool matches(const char *pattern, const char *mnemonic)
{
	size_t n = strlen(pattern);

	return n && pattern[n - 1] == '*' ? !strncmp(pattern, mnemonic, n - 1)
					  : !strcmp(pattern, mnemonic);
}

static bool width_is(const char *digits, unsigned bytes)
{
	return bytes && (!*digits || bytes == (unsigned)strtoul(digits, NULL, 10));
}

static bool chained(const struct code_insn *i)
{
	return i->load && i->result && (i->result == i->base || i->result == i->index);
}

static bool zeroed(const struct code_insn *i)
{
	return matches("xor", i->mnemonic) && i->result && i->source == i->result;
}

static bool on_itself(const struct code_insn *i)
{
	return i->result && i->source && i->source != i->result && !i->load && !i->immediate;
}

/* Returns true if the word describes the instruction. */
static bool is(const struct code_insn *i, const char *word)
{
	bool nt = after(i->mnemonic, "movnt") || after(i->mnemonic, "vmovnt");
	const char *rest;

	if ((rest = after(word, "load")) && number(rest))
		return width_is(rest, i->load);
	if ((rest = after(word, "store")) && number(rest))
		return width_is(rest, i->store);
	if ((rest = after(word, "nt")) && number(rest))
		return nt && width_is(rest, i->store);
	if ((rest = after(word, "self:")))
		return matches(rest, i->mnemonic) && on_itself(i);
	if ((rest = after(word, "imm:")))
		return matches(rest, i->mnemonic) && i->immediate && !i->jump &&
			strcmp(i->mnemonic, "dec");
	if (!strcmp(word, "chain"))
		return chained(i);
	if (!strcmp(word, "zeroed"))
		return zeroed(i);
	if (!strcmp(word, "cr3"))
		return i->cr3;
	if (!strcmp(word, "indexed"))
		return (i->load || i->store) && i->index;
	if (!strcmp(word, "conditional"))
		return i->conditional;
	if (!strcmp(word, "repeated"))
		return i->repeated;
	return !strcmp(word, "insns") || matches(word, i->mnemonic);
}

/* Registers that a chase or a chain of operations goes through. */
static long lanes(const struct decoded_code *c, struct code_stretch s)
{
	bool seen[REGISTERS] = { false };
	bool chase = false;
	long n = 0;
	size_t i;

	for (i = s.first; i <= s.last; i++)
		chase |= chained(&c->insns[i]);
	for (i = s.first; i <= s.last; i++) {
		const struct code_insn *k = &c->insns[i];

		if (!(chase ? chained(k) : on_itself(k)) || seen[k->result % REGISTERS])
			continue;
		seen[k->result % REGISTERS] = true;
		n++;
	}
	return n;
}

/* Bytes from each access to the next one through the same register; -1: they differ. */
static long apart(const struct decoded_code *c, struct code_stretch s)
{
	const struct code_insn *last = NULL;
	long step = 0;
	size_t i;

	for (i = s.first; i <= s.last; i++) {
		const struct code_insn *k = &c->insns[i];

		if (!k->load && !k->store)
			continue;
		if (last && step && k->offset - last->offset != step)
			return -1;
		if (last)
			step = (long)(k->offset - last->offset);
		last = k;
	}
	return step;
}

/* Stores of a register that a load has filled since it was stored last. */
static long copied(const struct decoded_code *c, struct code_stretch s)
{
	bool filled[REGISTERS] = { false };
	long n = 0;
	size_t i;

	for (i = s.first; i <= s.last; i++) {
		const struct code_insn *k = &c->insns[i];

		if (k->load && k->result)
			filled[k->result % REGISTERS] = true;
		if (!k->store || !k->source)
			continue;
		n += filled[k->source % REGISTERS];
		filled[k->source % REGISTERS] = false;
	}
	return n;
}

/* Different base registers of accesses. */
static long places(const struct decoded_code *c, struct code_stretch s)
{
	bool seen[REGISTERS] = { false };
	long n = 0;
	size_t i;

	for (i = s.first; i <= s.last; i++) {
		const struct code_insn *k = &c->insns[i];

		if (!(k->load || k->store) || seen[k->base % REGISTERS])
			continue;
		seen[k->base % REGISTERS] = true;
		n++;
	}
	return n;
}

/* Address registers to which another register is added. */
static long strided(const struct decoded_code *c, struct code_stretch s)
{
	long n = 0;
	size_t i, k;

	for (i = s.first; i <= s.last; i++) {
		const struct code_insn *add = &c->insns[i];

		if (strcmp(add->mnemonic, "add") || !on_itself(add))
			continue;
		for (k = s.first; k <= s.last; k++)
			if (c->insns[k].load &&
				(c->insns[k].base == add->result ||
					c->insns[k].index == add->result))
				break;
		n += k <= s.last;
	}
	return n;
}

/* Time stamps with a fence directly before and after. */
static long fenced(const struct decoded_code *c, struct code_stretch s)
{
	long n = 0;
	size_t i;

	for (i = s.first; i <= s.last && i + 1 < c->n; i++)
		n += i && !strncmp(c->insns[i].mnemonic, "rdtsc", 5) &&
			!strcmp(c->insns[i - 1].mnemonic, "lfence") &&
			!strcmp(c->insns[i + 1].mnemonic, "lfence");
	return n;
}

/* CPUID of leaf 0: directly behind a register that is made 0. */
static long leaf0(const struct decoded_code *c, struct code_stretch s)
{
	long n = 0;
	size_t i;

	for (i = s.first + 1; i <= s.last && i < c->n; i++)
		n += matches("cpuid", c->insns[i].mnemonic) && zeroed(&c->insns[i - 1]);
	return n;
}

static long count(const struct decoded_code *c, struct code_stretch s, const char *word)
{
	long n = 0;
	size_t i;

	if (s.last + 1 <= s.first)
		return 0;
	if (!strcmp(word, "lanes"))
		return lanes(c, s);
	if (!strcmp(word, "apart"))
		return apart(c, s);
	if (!strcmp(word, "strided"))
		return strided(c, s);
	if (!strcmp(word, "places"))
		return places(c, s);
	if (!strcmp(word, "copied"))
		return copied(c, s);
	if (!strcmp(word, "fenced"))
		return fenced(c, s);
	if (!strcmp(word, "leaf0"))
		return leaf0(c, s);
	for (i = s.first; i <= s.last && i < c->n; i++)
		n += is(&c->insns[i], word);
	return n;
}

long count_in_loop(const struct decoded_code *c, struct code_stretch timed,
	struct code_stretch body, const char *token)
{
	const char *equals = strchr(token, '='), *rest;
	char word[32];

	if (!equals || (size_t)(equals - token) >= sizeof(word))
		fatal("'%s' is no part of a rule", token);
	snprintf(word, sizeof(word), "%.*s", (int)(equals - token), token);
	if ((rest = after(word, "timed:")))
		return count(c, timed, rest);
	if ((rest = after(word, "after:")))
		return count(c, (struct code_stretch){ body.last + 1, timed.last }, rest);
	if ((rest = after(word, "all:")))
		return count(c, (struct code_stretch){ 0, c->n - 1 }, rest);
	return count(c, body, word);
}

long count_wanted(const char *token)
{
	return strtol(strchr(token, '=') + 1, NULL, 10);
}
