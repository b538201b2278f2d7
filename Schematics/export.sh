#!/bin/sh
# Checks a project against KiCad's electrical rules and exports it: export.sh PROJECT FOLDER
set -eu
project=$1 out=$2
sheet=$(dirname "$0")/$project/$project.kicad_sch
mkdir -p "$out"
rm -f "$out"/*

quietly() { "$@" >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }; }

kicad-cli sch erc --severity-all --exit-code-violations -o "$out/erc" "$sheet" >"$out/log" 2>&1 || {
    cat "$out/log" "$out/erc" >&2
    exit 1
}

quietly kicad-cli sch export pdf -o "$out/$project.pdf" "$sheet"
quietly kicad-cli sch export svg -o "$out" "$sheet"
rm -f "$out"/*-Channel[1-9].svg # identical to the sheet of Channel0
quietly kicad-cli sch export netlist -o "$out/$project.net" "$sheet"
quietly kicad-cli sch export bom -o "$out/$project.csv" \
    --fields 'Reference,${QUANTITY},Value,Rating,Package,Part,Profile,Fit' \
    --labels 'Reference,Quantity,Value,Rating,Package,Part,Profile,One of' \
    --group-by 'Value,Rating,Package,Part,Profile,Fit' --ref-range-delimiter '' "$sheet"

# Remove everything that differs between exports: the date in the title of an SVG; the date, KiCad's
# version and the folder in a netlist. The drawing sheet (symbols/sheet.kicad_wks) prints neither dates, nor versions,
# nor folders.
edit() {
    file=$1
    shift
    sed "$@" "$file" >"$out/edited" && mv "$out/edited" "$file"
}
for file in "$out"/*.svg; do edit "$file" -e '/<title>/s/ date .*<\/title>/<\/title>/'; done
edit "$out/$project.net" -e '/^    (source /d' -e '/^    (date /d' -e '/^    (tool /d' \
    -e 's|(uri ".*/\.\./|(uri "${KIPRJMOD}/../|'
rm "$out/log" "$out/erc"
