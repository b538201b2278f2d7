// Tests of the width and the contents of bars that are made of text characters.

import HapticBridge
import Testing

@Suite struct OutputBarsTests {
    private func bars(_ level: Double, _ sharpness: Double) -> OutputBars {
        OutputBars(level: level, sharpness: sharpness, columns: 26)
    }

    @Test func theLevelFillsItsBarFromTheLeft() {
        #expect(bars(0, 0).levelBar == "                ")
        #expect(bars(0.5, 0).levelBar == "████████        ")
        #expect(bars(65.0 / 128, 0).levelBar == "████████▏       ")
        #expect(bars(1, 0).levelBar == "████████████████")
    }

    @Test func theSharpnessIsAMarkBetweenRoundAndSharp() {
        #expect(bars(1, 0).sharpnessBar == "◆·······")
        #expect(bars(0.1, 1).sharpnessBar == "·······◆")
        #expect(bars(0, 1).sharpnessBar == "········", "silence has no sharpness")
    }

    @Test func valuesBeyondTheRangeKeepTheWidth() {
        for value in [-1.0, 2, .infinity] {
            #expect(bars(value, value).levelBar.count == 16)
            #expect(bars(1, value).sharpnessBar.count == 8)
        }
    }

    @Test func aLineIsNeverWiderThanItsRoom() {
        for columns in -1...100 {
            let bars = OutputBars(level: 0.7, sharpness: 0.3, columns: columns)
            #expect(bars.line.count == min(max(columns, 0), 38), "\(columns)")
            #expect((bars.sharpnessWidth > 0) == (columns >= 8), "\(columns)")
        }
    }
}
