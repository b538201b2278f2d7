#!/bin/sh
# Applies each mutant of mutants.txt in a copy of the tree and says which tests notice it:
# run.sh [NAME...]. Those of the core first meet the soak, whose build is short, then the firmware's
# tests; those of the host the tests of their module. SWIFT, SOAK_SEEDS and MUTANTS_TREE may be set.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
list=$source/Tests/Mutants/mutants.txt
tree=${MUTANTS_TREE:-$source/.build-mutants}
swift=${SWIFT:-swift}
seeds=${SOAK_SEEDS:-400}
wanted=$*

# Writes file with the mutant applied; fails if what it replaces is not there exactly once.
apply() {
    perl -0777 -e '
        my ($list, $name, $file) = @ARGV;
        my ($block) = read_all($list) =~ /^mutant \Q$name\E [^\n]*\n((?:[-+][^\n]*\n)+)/m;
        my $from = join "\n", map { substr $_, 1 } grep { /^-/ } split /\n/, $block;
        my $to = join "\n", map { substr $_, 1 } grep { /^\+/ } split /\n/, $block;
        my $text = read_all($file);
        my $count = () = $text =~ /\Q$from\E/g;
        die "$name: occurs $count times in $file\n" unless $count == 1;
        $text =~ s/\Q$from\E/$to/;
        open my $out, ">", $file or die; print $out $text;
        sub read_all { local $/; open my $in, "<", $_[0] or die "$_[0]: $!"; <$in> }
    ' "$list" "$1" "$2"
}

# Prints who notices, or nothing.
noticed_by_soak() {
    "$swift" build -c release --product bridge-soak >log-build 2>&1 || { echo compiler; return; }
    timeout 600 .build/release/bridge-soak --seeds "$seeds" >log-soak 2>&1 ||
        echo "soak: $(grep -m 1 '^violation' log-soak | cut -d: -f2- || echo 'does not end')"
}

noticed_by_tests() {
    "$swift" build --build-tests >log-build 2>&1 || { echo compiler; return; }
    timeout 900 "$swift" test --skip-build --filter "$1" >log-tests 2>&1 ||
        echo "tests: $(sed -n 's/.*Test \(.*\) \(failed\|recorded an issue\).*/\1/p' log-tests | head -n 1)"
}

mkdir -p "$tree"
(cd "$source" && git ls-files -z --cached --others --exclude-standard |
    tar --null -T - -cf - | tar -xf - -C "$tree")
cd "$tree"
killed=0 survived=0
while read -r word name file tests; do
    [ "$word" = mutant ] || continue
    case " $wanted " in "  " | *" $name "*) ;; *) continue ;; esac
    cp "$source/$file" "$file"
    apply "$name" "$file"
    who=
    [ -n "$tests" ] || who=$(noticed_by_soak)
    [ -n "$who" ] || who=$(noticed_by_tests "${tests:-FirmwareTests}")
    cp "$source/$file" "$file"
    if [ -n "$who" ]; then killed=$((killed + 1)); else survived=$((survived + 1)); fi
    echo "$name: ${who:-SURVIVED}"
done <"$list"
echo "figure mutants_killed $killed of $((killed + survived))"
[ "$survived" = 0 ]
