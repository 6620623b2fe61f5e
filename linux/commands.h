/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of build/anechoic. Each gets its own argv (argv[0] is the subcommand's name)
 * and returns the exit code: 0 done; 1 an answer of "no" (compare --fail-above, a failed proof);
 * 2 a mistake in the command line, an input that cannot be used, or a result that cannot be
 * written.
 */
#ifndef LINUX_COMMANDS_H
#define LINUX_COMMANDS_H

enum exit_code { EXIT_OK = 0, EXIT_NO = 1, EXIT_BAD_INPUT = 2, EXIT_BAD_OUTPUT = 2 };

int run_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int show_main(int argc, char **argv);
int export_main(int argc, char **argv);
int import_main(int argc, char **argv);

#endif
