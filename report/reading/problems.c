/* SPDX-License-Identifier: MIT */
#include <stdarg.h>

#include "report/reading/problems.h"

void problem_add(struct problems *all, enum severity severity, unsigned long line,
	const char *format, ...)
{
	va_list args;

	all->damage |= severity == SEVERITY_DAMAGE;
	if (all->all++ >= PROBLEMS_KEPT)
		return;
	struct problem *p = &all->kept[all->all - 1];
	p->severity = severity;
	p->line = line;
	va_start(args, format);
	vsnprintf(p->text, sizeof p->text, format, args);
	va_end(args);
}

static void print(const struct problem *p, const char *file, FILE *out)
{
	fprintf(out, "%s:", file);
	if (p->line)
		fprintf(out, "%lu:", p->line);
	fprintf(out, " %s%s\n", p->severity == SEVERITY_NOTE ? "note: " : "", p->text);
}

void problems_print(const struct problems *all, const char *file, FILE *out)
{
	unsigned long kept = all->all < PROBLEMS_KEPT ? all->all : PROBLEMS_KEPT;

	for (unsigned long i = 0; i < kept; i++)
		print(&all->kept[i], file, out);
	if (all->all > kept)
		fprintf(out, "%s: and %lu more\n", file, all->all - kept);
}
