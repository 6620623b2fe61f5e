/* SPDX-License-Identifier: MIT */
#include "kernel/end_screen.h"

#include "kernel/console/console.h"
#include "kernel/cpu/x86.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/dashboard/views.h"
#include "kernel/reset_ladder.h"
#include "kernel/result/card_code.h"

#define DOT_WELL 4  /* pixels of a module that are photographed without care */
#define TURN     20 /* seconds for the code, and for the rest */

static int dot; /* of the code on the end screen; 0: none */
static bool is_code;

static bool dark(const void *of, unsigned column, unsigned row)
{
	return qr_dark(of, column, row);
}

/* NULL: there is none, and *why. */
static const struct code *make_code(bool *left_out, const char **why)
{
	static struct qr q;
	static struct code code = { .dark = dark, .of = &q };
	size_t n;
	const char *text = dashboard_lines(&n);

	*why = qr_of_card(&q, text, n, left_out);
	code.side = q.side;
	return *why ? NULL : &code;
}

bool end_screen(void)
{
	const char *why;
	bool left_out;
	const struct code *code = make_code(&left_out, &why);

	dashboard_code(code);
	if (!dashboard_end())
		return false;
	is_code = code != NULL;
	dot = dashboard_code_dot();
	if (!is_code)
		console_printf("no QR code of the card: %s\n", why);
	else if (dot)
		console_printf("QR code: the card%s; `anechoic import --qr` reads a photograph\n",
			left_out ? "'s resolved values" : "");
	return true;
}

static void wait_seconds(uint64_t ticks)
{
	for (uint64_t since = rdtsc(); rdtsc() - since < ticks;)
		pause();
}

void end_screen_halt(uint64_t ticks_per_second)
{
	bool turns = is_code && dot < DOT_WELL && qr_alone_pixels() > dot && ticks_per_second;

	if (turns)
		console_printf("in turn, %u s each: this screen, and its QR code for `anechoic "
			       "import --qr`\n",
			TURN);
	while (turns) {
		wait_seconds(TURN * ticks_per_second);
		dashboard_code_alone();
		wait_seconds(TURN * ticks_per_second);
		dashboard_end();
	}
	halt_forever();
}
