/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/stated.h"

static const char every[] = "every_value";

/* Returns the text behind `words`, or NULL if it does not begin with them. */
static const char *after(const char *text, const char *words)
{
	return strncmp(text, words, strlen(words)) ? NULL : text + strlen(words);
}

/*
 * Returns true if the machine was drawn, not designed: everything that the rules excuse is then
 * excused without a list.
 */
static bool by_the_rules(const struct cpu *c)
{
	size_t i;

	for (i = 0; i < c->expects; i++) {
		if (strcmp(c->expect[i].name, every))
			continue;
		if (!after(c->expect[i].text, "by the rules: "))
			fatal("expect.%s: must be 'by the rules: ' and the reason", every);
		return true;
	}
	return false;
}

/* Returns the reason if the statement is only of one layer or profile, and of this one. */
static const char *reason_in(const struct judged *j, const struct cpu_expect *e, const char *where)
{
	const char *layer = text_of(json_object_get(j->run->run, "known_answer"), "layer");
	const char *profile = after(where, " in profile ");
	char here[80];

	if (after(where, " in layer a: ") || after(where, " in layer b: "))
		snprintf(here, sizeof(here), " in layer %s: ", layer);
	else if (profile && strstr(profile, ": "))
		snprintf(here, sizeof(here), " in profile %s: ", text_of(j->run->run, "profile"));
	else
		fatal("expect.%s: '%s' is neither 'in layer a: ' or b nor 'in profile X: '",
			e->name, where);
	return after(where, here);
}

/* Returns the reason; NULL: it is stated of another layer or profile. */
static const char *reason_here(const struct judged *j, const struct cpu_expect *e)
{
	const char *where = after(e->text, "not resolved"), *reason;

	if (!where)
		fatal("expect.%s: must be 'not resolved: ' and the reason", e->name);
	reason = after(where, ": ");
	return reason ? reason : reason_in(j, e, where);
}

static struct expected *named(struct expected_list *l, const char *name)
{
	struct expected *d = expected_find(l, name);

	if (!d)
		fatal("expect.%s: no expected value has this name", name);
	return d;
}

static bool excused(const struct expected *d)
{
	return d->must_be_unresolved || d->may_be_unresolved;
}

void mark_stated(const struct judged *j, struct expected_list *l)
{
	bool drawn = by_the_rules(j->cpu);
	size_t i;

	for (i = 0; i < l->n; i++)
		l->out[i].stated = drawn && excused(&l->out[i]);
	for (i = 0; i < j->cpu->expects; i++) {
		const struct cpu_expect *e = &j->cpu->expect[i];
		struct expected *d = strcmp(e->name, every) ? named(l, e->name) : NULL;
		const char *reason = d ? reason_here(j, e) : NULL;

		if (!reason)
			continue;
		if (!excused(d)) {
			tally_wrong(j->tally, d->name,
				"its machine's file states that it is not resolved, but no rule "
				"says so");
			continue;
		}
		d->stated = true;
		d->must_be_unresolved = reason;
	}
}
