/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of build/anechoic. Each gets its own argv (argv[0] is the subcommand's name)
 * and returns the exit code: 0 done; 1 an answer of "no" (compare --fail-above, a failed proof,
 * lines lost by import, a FAIL of check); 2 failed: a mistake in the command line, an input that is
 * damaged or cannot be used, an output that cannot be written, no memory.
 */
#ifndef LINUX_COMMANDS_H
#define LINUX_COMMANDS_H

enum exit_code { EXIT_OK = 0, EXIT_NO = 1, EXIT_FAILED = 2 };

int run_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int show_main(int argc, char **argv);
int check_main(int argc, char **argv);
int report_main(int argc, char **argv);
int plot_main(int argc, char **argv);
int export_main(int argc, char **argv);
int import_main(int argc, char **argv);
int boot_main(int argc, char **argv);
int fetch_main(int argc, char **argv);
int ladder_main(int argc, char **argv);

#endif
