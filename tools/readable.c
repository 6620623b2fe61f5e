/* SPDX-License-Identifier: MIT */
/*
 * Filter: reads a machine's serial line, writes at once the part that a person wants to see. Leaves
 * out the firmware's terminal escapes and the result lines (which begin with {"kind"). If the
 * output is no terminal, a progress line that is overwritten ("\r") is left out too. With
 * --progress it shows nothing else than what is measured at the moment, each line over the last.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char result[] = "{\"kind\"";

static enum { TEXT, ESCAPE, SEQUENCE } state;
static char line[4096]; /* the line so far, as much as is needed to classify it */
static size_t length;   /* number of its characters */
static size_t shown;    /* number of characters printed already */
static bool terminal, blank, returned;
static bool progress; /* only the lines "row 12, ..." and "room 1 of 2, ..." */

static bool begins(const char *with)
{
	size_t n = strlen(with);

	return length > n && !memcmp(line, with, n) && isdigit((unsigned char)line[n]);
}

static void show_progress(void)
{
	if (begins("row ") || begins("room "))
		printf("\r%-79.*s", length < 79 ? (int)length : 79, line);
	length = 0;
}

/* Returns true while the line may still become a result: it is held back. */
static bool undecided(void)
{
	return length < sizeof(result) - 1 && !memcmp(line, result, length);
}

static bool is_result(void)
{
	return length >= sizeof(result) - 1 && !memcmp(line, result, sizeof(result) - 1);
}

static void show(void)
{
	fwrite(line + shown, 1, length - shown, stdout);
	shown = length;
}

static void end_line(void)
{
	if (progress) {
		show_progress();
		return;
	}
	while (!terminal && length && line[length - 1] == ' ')
		length--;
	/* The firmware clears the screen now and then: one empty line will do. */
	if (!is_result() && (length || !blank)) {
		show();
		putchar('\n');
	}
	if (!is_result())
		blank = !length;
	length = shown = 0;
}

static void text(char c)
{
	if (c == '\n') {
		returned = false;
		end_line();
		return;
	}
	if (c == '\r') { /* or two, if a firmware adds its own to ours */
		returned = length > 0;
		return;
	}
	if (returned) { /* the line is being overwritten */
		if (progress)
			show_progress();
		if (terminal && shown)
			putchar('\r');
		length = shown = 0;
		returned = false;
	}
	if (((unsigned char)c < ' ' && c != '\t') || length == sizeof(line))
		return;
	line[length++] = c;
	if (terminal && !progress && !undecided() && !is_result())
		show();
}

static void byte(char c)
{
	switch (state) {
	case TEXT:
		if (c == '\033')
			state = ESCAPE;
		else
			text(c);
		return;
	case ESCAPE:
		state = c == '[' ? SEQUENCE : TEXT;
		return;
	case SEQUENCE:
		if (isalpha((unsigned char)c)) {
			state = TEXT;
			if ((c == 'H' || c == 'J') && length) /* the cursor goes elsewhere */
				text('\n');
		}
		return;
	}
}

int main(int argc, char **argv)
{
	char buffer[4096];
	ssize_t n;

	progress = argc > 1 && !strcmp(argv[1], "--progress");
	terminal = isatty(STDOUT_FILENO);
	while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			byte(buffer[i]);
		fflush(stdout);
	}
	if (length)
		end_line();
	if (progress)
		printf("\r%79s\r", "");
	return 0;
}
