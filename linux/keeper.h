/* SPDX-License-Identifier: MIT */
/*
 * What Linux keeps of a run after its end, such as a clock or a session's priority, is given back
 * even if the run is killed: by a process that begins with the first change and outlives it.
 */
#ifndef LINUX_KEEPER_H
#define LINUX_KEEPER_H

/*
 * Before a small file of /proc or /sys is written: what it has, a line without its newline. Where
 * there can be no such process, nothing is noted.
 */
void keeper_note(const char *path, const char *before);
/* All has its old value again: the process ends. */
void keeper_done(void);

#endif
