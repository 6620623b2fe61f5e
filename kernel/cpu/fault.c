/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/fault.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/x86.h"
#include "kernel/memory/address_space.h"
#include "lib/exception.h"
#include "lib/text.h"

enum {
	VECTOR_NMI = 2,
	VECTOR_MACHINE_CHECK = 18,
	FIRST_INTERRUPT = 32,
};

#define STACK_WORDS 8

static struct {
	bool is_panic;
	struct frame frame;
	uint64_t cr2, cr3, cr4;
	char message[160]; /* of the panic */
	char summary[112];
	const char *during;
} last;

struct fault_counts fault_counts;
static struct span image;
static const struct context *recovery;
static const char *during; /* description of the running step; NULL: none */
static const struct fault_handlers *handlers;

void fault_entry(struct frame *);

void fault_open(const struct span *our_image, const struct fault_handlers *h)
{
	image = *our_image;
	handlers = h;
}

const struct context *fault_recover_to(const struct context *c)
{
	const struct context *before = recovery;

	recovery = c;
	return before;
}

void fault_during(const char *what)
{
	during = what;
}

/* Continue at the saved context, once; without one, print the report at once and stop. */
static void recover_or_stop(void) __attribute__((noreturn));
static void recover_or_stop(void)
{
	const struct context *to = recovery;
	static char text[2048];

	recovery = NULL;
	if (to)
		context_restore(to);
	handlers->print(text, fault_text(text, sizeof text));
	handlers->stop();
}

/* Write ".text+0x1234", or "7fe01234" for an address outside the image. */
static void address_text(char *out, size_t bytes, uint64_t address)
{
	struct image_section s;

	if (image_find(&image, address, &s))
		text_format(out, bytes, "%s+0x%llx", s.name,
			(unsigned long long)(address - s.span.base));
	else
		text_format(out, bytes, "%llx", (unsigned long long)address);
}

static void summarise(const struct frame *f)
{
	char where[48], *out = last.summary;

	address_text(where, sizeof where, f->rip);
	if (f->vector == EXCEPTION_PAGE_FAULT)
		text_format(out, sizeof last.summary, "%s at %s, %s %llx",
			exception_name(f->vector), where, access_name(f->error),
			(unsigned long long)last.cr2);
	else
		text_format(out, sizeof last.summary, "%s at %s", exception_name(f->vector), where);
}

static void record(const struct frame *f)
{
	last.frame = *f;
	last.cr2 = read_cr2();
	last.cr3 = read_cr3();
	last.cr4 = read_cr4();
	last.during = during;
	if (!last.is_panic)
		summarise(f);
}

void fault_entry(struct frame *f)
{
	uint64_t resume;

	if (f->vector == VECTOR_NMI) {
		fault_counts.nmis += !handlers->nmi(f);
		return;
	}
	if (f->vector >= FIRST_INTERRUPT) {
		fault_counts.interrupts++;
		if (!handlers->late())
			return;
		last.is_panic = false;
		record(f);
		recover_or_stop();
	}
	if (f->vector == EXCEPTION_PAGE_FAULT && handlers->mend(f))
		return;
	fault_counts.exceptions++;
	resume = fixup_address(f->rip);
	if (resume) {
		f->rip = resume;
		f->rax = f->vector;
		return;
	}
	if (f->vector == VECTOR_MACHINE_CHECK)
		machine_checks_take();
	if (handlers->other_processor(f))
		for (;;)
			halt();
	last.is_panic = false;
	record(f);
	recover_or_stop();
}

uint64_t fixup_address(uint64_t rip)
{
	for (const struct fixup *x = fixup_table; x < fixup_table_end; x++)
		if (rip == (uint64_t)fixup_table + (uint64_t)(int64_t)x->fault)
			return (uint64_t)fixup_table + (uint64_t)(int64_t)x->resume;
	return 0;
}

void panic(const char *format, ...)
{
	struct frame here = {
		.rip = (uint64_t)__builtin_return_address(0),
		.rbp = (uint64_t)__builtin_frame_address(0),
		.rsp = (uint64_t)__builtin_frame_address(0),
		.flags = read_flags(),
	};
	va_list args;

	cli();
	if (handlers->other_processor(&here))
		for (;;)
			halt();
	va_start(args, format);
	text_vformat(last.message, sizeof last.message, format, args);
	va_end(args);
	last.is_panic = true;
	text_format(last.summary, sizeof last.summary, "panic: %.80s", last.message);
	record(&here);
	recover_or_stop();
}

/* The state before fault_try called a loop; static, so that it outlives the jump back. */
static struct {
	struct context here;
	const struct context *outer;
	uint64_t cr3, cr4;
	struct segments segments;
	struct escape escape;
} tried;

const struct escape *fault_try(loop_fn *loop, const uint64_t a[LOOP_ARGS], struct timed *t)
{
	tried.cr3 = read_cr3();
	tried.cr4 = read_cr4();
	tried.segments = read_segments();
	if (context_save(&tried.here)) {
		load_segments(tried.segments); /* an exception in ring 3 leaves no SS */
		write_cr4(tried.cr4);          /* clears PCIDE, which the CR3 below must not have */
		write_cr3(tried.cr3);
		fault_recover_to(tried.outer);
		tried.escape = (struct escape){ last.frame.vector >= FIRST_INTERRUPT,
			last.frame.vector, last.frame.error, last.frame.rip, last.cr2 };
		return &tried.escape;
	}
	tried.outer = fault_recover_to(&tried.here);
	*t = loop(a[0], a[1], a[2], a[3], a[4], a[5]);
	fault_recover_to(tried.outer);
	return NULL;
}

const char *fault_summary(void)
{
	return last.summary;
}

struct fault_lines {
	char *out;
	size_t bytes, used;
};

static void add_line(struct fault_lines *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_line(struct fault_lines *l, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = text_vformat(l->out + l->used, l->bytes - l->used, format, args);
	va_end(args);
	l->used += (size_t)n < l->bytes - l->used ? (size_t)n : l->bytes - l->used - 1;
}

static void add_page_fault(struct fault_lines *l, uint64_t error)
{
	add_line(l, "  %s %s address %016llx%s%s\n", access_name(error),
		error & 1 ? "a protected" : "an absent", (unsigned long long)last.cr2,
		error & 8 ? ", reserved bit set" : "",
		last.cr2 - last.frame.rsp + 8192 < 16384 ? ", near RSP: stack overflow?" : "");
}

static void add_registers(struct fault_lines *l)
{
	const struct frame *f = &last.frame;
	const struct {
		const char *name;
		uint64_t value;
	} r[] = {
		{ "RAX", f->rax },
		{ "RBX", f->rbx },
		{ "RCX", f->rcx },
		{ "RDX", f->rdx },
		{ "RSI", f->rsi },
		{ "RDI", f->rdi },
		{ "RBP", f->rbp },
		{ "RSP", f->rsp },
		{ "R8", f->r8 },
		{ "R9", f->r9 },
		{ "R10", f->r10 },
		{ "R11", f->r11 },
		{ "R12", f->r12 },
		{ "R13", f->r13 },
		{ "R14", f->r14 },
		{ "R15", f->r15 },
		{ "CR2", last.cr2 },
		{ "CR3", last.cr3 },
		{ "CR4", last.cr4 },
		{ "FLAGS", f->flags },
	};

	for (unsigned i = 0; i < sizeof r / sizeof *r; i++)
		add_line(l, "%8s %016llx%s", r[i].name, (unsigned long long)r[i].value,
			i % 3 == 2 || i == 19 ? "\n" : "");
}

/* Print the top of the stack, as far as it can be read. */
static void add_stack(struct fault_lines *l)
{
	char where[48];

	for (unsigned i = 0; i < STACK_WORDS; i++) {
		const uint32_t *at = (const uint32_t *)(last.frame.rsp + 8 * i);
		uint32_t low, high;

		if (safe_read32(at, &low) || safe_read32(at + 1, &high))
			break;
		uint64_t word = (uint64_t)high << 32 | low;
		address_text(where, sizeof where, word);
		add_line(l, "  RSP+%02x %016llx %s\n", 8 * i, (unsigned long long)word,
			where[0] == '.' ? where : "");
	}
}

size_t fault_text(char *out, size_t bytes)
{
	struct fault_lines l = { out, bytes, 0 };
	const struct frame *f = &last.frame;
	bool ours = f->rip - image.base < image.bytes;
	char where[48];

	address_text(where, sizeof where, f->rip);
	if (last.is_panic)
		add_line(&l, "\nPANIC: %s\n", last.message);
	else
		add_line(&l, "\nEXCEPTION %llu: %s, error code %llx\n",
			(unsigned long long)f->vector, exception_name(f->vector),
			(unsigned long long)f->error);
	if (last.during)
		add_line(&l, "  while this ran: %.60s\n", last.during);
	if (ours)
		add_line(&l, "  at %016llx = image+0x%llx = %s\n", (unsigned long long)f->rip,
			(unsigned long long)(f->rip - image.base), where);
	else
		add_line(&l, "  at %016llx, which is not in this program\n",
			(unsigned long long)f->rip);
	if (!last.is_panic && f->vector == EXCEPTION_PAGE_FAULT)
		add_page_fault(&l, f->error);
	if (!last.is_panic && f->vector == VECTOR_MACHINE_CHECK)
		l.used += machine_checks_text(l.out + l.used, l.bytes - l.used);
	add_registers(&l);
	add_stack(&l);
	return l.used;
}
