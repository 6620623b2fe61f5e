/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of build/anechoic, each in its file command_NAME.c. `main` gets the arguments
 * from the subcommand's name on and returns the exit code: 0 done; 1 an answer of "no" (compare
 * --fail-above, a failed proof, lines lost by import, a FAIL of check); 2 failed: a mistake in the
 * command line, an input that is damaged or cannot be used, an output that cannot be written, no
 * memory.
 */
#ifndef LINUX_COMMANDS_H
#define LINUX_COMMANDS_H

enum exit_code { EXIT_OK = 0, EXIT_NO = 1, EXIT_FAILED = 2 };

struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *what; /* one line for --help */
};

extern const struct command command_run, command_compare, command_show, command_check,
	command_explain, command_anonymize, command_report, command_plot, command_export,
	command_import, command_boot, command_bare, command_fetch, command_ladder;

/*
 * The number of waiting files, results and their pages, as far as can be seen without mounting
 * anything.
 */
unsigned collect_waiting(void);

#endif
