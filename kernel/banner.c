/* SPDX-License-Identifier: MIT */
#include "kernel/banner.h"

#include "engine/doubts.h"
#include "engine/run_text.h"
#include "kernel/console/console.h"
#include "kernel/cpu/tsc.h"
#include "kernel/cpu/x86.h"
#include "kernel/memory/arena.h"
#include "lib/text.h"
#include "page/picture/font.h"
#include "version.h"

/* Print a word in letters seven lines high; at most 13 letters fit into 80 columns. */
static void say_large(const char *word)
{
	for (unsigned y = 0; y < 7; y++) {
		char line[80];
		unsigned n = 0;

		for (const char *p = word; *p && n + 7 < sizeof line; p++)
			for (unsigned x = 0; x < 6; x++)
				line[n++] = font_dots((unsigned char)*p, y) & 0x80 >> (x + 1) ? '#'
											      : ' ';
		line[n++] = '\n';
		console_write(line, n);
	}
}

static void say_sources(const struct facts *f)
{
	char off[SOURCES_OFF_TEXT];

	tsc_sources_off(f, off);
	console_printf("TSC %.6f MHz by %s; sources differ by %.0f ppm%s:\n%s", f->tsc_hz / 1e6,
		f->tsc_source, f->tsc_disagree_ppm, off,
		f->tsc_invariant ? "" : "  (CPUID does not call it invariant)\n");
	for (unsigned i = 0; i < f->tsc_sources; i++)
		if (f->tsc[i].hz > 0)
			console_printf("  %-16s %12.6f MHz %s\n", f->tsc[i].name,
				f->tsc[i].hz / 1e6, f->tsc[i].claimed ? "(claimed)" : "");
}

void banner_name(void)
{
	console_printf("\nanechoic " VERSION ": an anechoic chamber for processors\n");
}

void banner_machine(const struct machine *m, const struct facts *f)
{
	if (*facts_mark(f)) {
		console_printf("\n");
		say_large(facts_mark(f));
	}
	if (f->emulated || f->hypervisor[0])
		console_printf("\n%s (%s): %s\n\n",
			f->emulated ? "an emulator executes this" : "a hypervisor is present",
			f->hypervisor,
			*facts_mark(f) == 'S' ? "its timings are those of the stated processor"
				: f->emulated ? "its timings mean nothing"
					      : "its timings include what it does");
	if (f->may_be)
		console_printf("\nthis may be %s although CPUID does not say so:\n",
			f->may_be == DOUBT_EMULATED ? "an emulator" : "a virtual machine");
	for (const char *at = f->may_be_why; *at;) {
		const char *reason = at;

		console_printf("  %.*s\n", (int)text_clause(&at), reason);
	}
	if (m->door)
		console_printf("door %s, loader %s%s%s\n", m->door, m->loader,
			*m->after ? ", after " : "", m->after);
	console_printf("firmware %s revision %x, UEFI %u.%u, memory %llu MiB, arena %llu MiB\n",
		m->firmware_vendor, m->firmware_revision, m->uefi_revision >> 16,
		(m->uefi_revision & 0xffff) / 10, (unsigned long long)(f->memory_bytes / MIB),
		(unsigned long long)(m->arena.bytes / MIB));
	if (m->arena_node != UINT32_MAX)
		console_printf("the arena lies on node %u, memory of %u more node(s) beside it\n",
			m->arena_node, m->nbeside);
	if (arena_not_cached())
		console_printf(
			"WARNING: the arena is not cached as usual: no number is that of the "
			"caches\n"
			"  (%s)\n",
			arena_not_cached());
	say_sources(f);
	console_printf("%.2f s since the image was entered\n",
		(double)(rdtsc() - m->entry_ticks) / f->tsc_hz);
}
