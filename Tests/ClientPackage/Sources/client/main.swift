// A program that plays a pattern on the first board that answers, and uses only the library.

import AHAP
import HapticBridge
import HapticCompiler

let text = """
    {"Pattern": [{"Event": {"Time": 0, "EventType": "HapticTransient", "EventParameters": []}}]}
    """
let pattern = try AHAPReader.read(Array(text.utf8)).pattern
let compiled = HapticCompiler.compile(pattern)
do {
    let board = try BoardSearch.connect()
    try board.play(compiled)
} catch {
    print(error)
}
