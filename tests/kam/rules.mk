# SPDX-License-Identifier: MIT
# The known-answer machine: build/kam, and the unit tests of its model.

MODEL := $(patsubst %,$B/san/tests/kam/%.o,branch cache calendar clock die memory model order \
         prefetch recall translate)
JUDGE := $(MODEL) $(patsubst %,$B/san/tests/kam/%.o,check cpu cpuid declare decode engine host image main \
         registers)
# Every fault of tests/kam/mutations must be caught: too long for every `make test`.
mutants: $B/kam $B/BOOTX64.EFI
	bash tests/kam/mutations.tap

.PHONY: mutants

UNITS += $(patsubst %.c,$B/san/%,$(wildcard tests/kam/*_test.c))

# The model is most of the time: it is tested with sanitizers, and runs fast.
$B/judge/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOST) -O3 -fno-tree-loop-distribute-patterns -c -o $@ $<

$B/kam: $(patsubst $B/san/%,$B/judge/%,$(JUDGE)) $B/san/tested.a $B/kern.o
	$(CC) $(SAN) -o $@ $^ -lunicorn -lcapstone -linih -ljansson -lpthread -lm -z noexecstack

$B/san/tests/kam/%_test: $B/san/tests/kam/%_test.o $B/san/tests/kam/by_hand.o $(MODEL)
	$(CC) $(SAN) -o $@ $^ -lcmocka
