# SPDX-License-Identifier: MIT
# The known-answer machine: build/kam, and the unit tests of its parts.

TRUTHS := $(wildcard probes/*/*_truth.c)
PARTS  := $(filter-out tests/kam/unit/% tests/kam/cachegrind/%,$(call c,tests/kam)) $(TRUTHS)
HELPED := $(call c,tests/kam/unit)
UNITS  += $(patsubst %.c,$B/san/%,$(wildcard tests/kam/unit/*_test.c))

# Every fault of tests/kam/mutations must be caught.
mutants: $B/kam $B/BOOTX64.EFI
	tests/kam/run-mutants

.PHONY: mutants

# Most of the time is the model's: it runs without sanitizers, which have it in its unit tests. The
# model is optimised across its files.
KAM_FAST    := $(HOST) -O3 -fno-tree-loop-distribute-patterns
KAM_MODEL   := $(KAM_FAST) -flto -flto-partition=one
KAM_CHECKED := $(HOST) -O1 -fsanitize=undefined -fno-sanitize-recover=undefined

$B/judge/%.o: FLAGS = $(KAM_CHECKED)
$B/judge/tests/kam/%.o $B/judge/probes/%_truth.o: FLAGS = $(KAM_FAST)
$B/judge/tests/kam/cpu/%.o $B/judge/tests/kam/run/%.o: FLAGS = $(KAM_MODEL)
$B/judge/tests/kam/run/kam.o: FLAGS = $(KAM_FAST)
$B/judge/tests/kam/image/%.o: FLAGS = $(KAM_FAST) $(EFI)

$B/judge/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(FLAGS) -c -o $@ $<

# tests/kam/run/brief_rows.c
KAM_WRAPS := -Wl,--wrap=plan_add -Wl,--wrap=measure_row

# The model is linked once: a change of a probe does not optimise it again.
MODEL := $(addprefix $B/judge/,$(call objects,$(filter-out %/kam.c,$(filter tests/kam/cpu/% tests/kam/run/%,$(PARTS)))))
$B/judge/model.o: $(MODEL)
	$(call say,LD $@)$(CC) $(KAM_MODEL) -r -flinker-output=nolto-rel -o $@ $^

LINK_KAM = $(call say,LD $@)$(CC) $(KAM_FAST) -fsanitize=undefined $(KAM_WRAPS) -o $@ $^ -lunicorn -lcapstone \
           -linih -ljansson -lpthread -lm -z noexecstack
KAM_OWN := $(filter-out $(MODEL),$(addprefix $B/judge/,$(call objects,$(PARTS)))) $B/judge/model.o $B/linux/abort.o

# With the product's own objects: what they leave undefined, the unit tests find.
$B/kam: $(KAM_OWN) $B/measure.a $B/loops.o
	$(LINK_KAM)

# One walk through memory, executed on the model and, under cachegrind, by this machine.
TOOLS += $B/walk_counted $B/walk_natively

$B/walk_counted: $B/judge/tests/kam/cachegrind/walk_counted.o $B/judge/tests/kam/cachegrind/cache_walks.o \
		$(filter-out %/kam.o,$(KAM_OWN)) $B/measure.a $B/loops.o
	$(LINK_KAM)

$B/walk_natively: $B/judge/tests/kam/cachegrind/walk_natively.o $B/judge/tests/kam/cachegrind/cache_walks.o $B/linux/abort.o $B/measure.a $B/loops.o
	$(call say,LD $@)$(CC) $(KAM_FAST) -o $@ $^ -lm -z noexecstack

# With the sanitizer for undefined behaviour in them: tests/kam/undefined.long.bats.
$B/kam-checked: $(KAM_OWN) $(addprefix $B/judge/,$(call objects,$(MEASURE))) $B/loops.o
	$(LINK_KAM)

$B/san/tests/kam/image/%.o: SAN += $(EFI)

$B/san/kam.a: $(addprefix $B/san/,$(call objects,$(filter-out tests/kam/run/kam.c,$(PARTS)) $(HELPED)))
	@rm -f $@
	$(call say,AR $@)ar rcs $@ $^

KAM_TEST = $B/san/tests/unit/test.o $B/san/kam.a $B/san/tested.a $B/loops.o
LINK_KAM_TEST = $(call say,LD $@)$(CC) $(SAN) $(KAM_WRAPS) -o $@ -Wl,--start-group $^ -Wl,--end-group -lcmocka -lunicorn -lcapstone -linih \
                -ljansson -lpthread -lm -z noexecstack

$B/san/tests/kam/unit/%_test: $B/san/tests/kam/unit/%_test.o $(KAM_TEST)
	$(LINK_KAM_TEST)

# Of a probe's truth.
$B/san/probes/%_truth_test: $B/san/probes/%_truth_test.o $(KAM_TEST)
	$(LINK_KAM_TEST)
