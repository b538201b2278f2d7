import CDRV2605Model
import Testing

/// Tests of the three hypotheses about the effect of OL_LRA_PERIOD while the chip drives.
@Suite("The period of the drive of the chip model in open loop")
struct PeriodTests {
    /// Returns a chip that has driven an LRA in open loop at 200 Hz (51 × 98.46 µs) since the time
    /// 10 ms. At 21 ms, its period was set to 34 steps (299 Hz). This time is in the fifth
    /// half-cycle, which ends at 22.55 ms.
    private func chip(_ rule: drv2605_model_period_rule) -> Chip {
        let chip = Chip()
        chip.model.period_rule = rule
        chip.write(0x1A, 0xB6)
        chip.write(0x1C, 0xF5, 0x81)
        chip.write(0x20, 51)
        chip.write(0x01, 0x05)
        chip.now = 10_000
        chip.write(0x02, 0x40)
        chip.now = 21_000
        chip.write(0x20, 34)
        return chip
    }

    private static let (slow, fast): (UInt32, UInt32) = (199_145, 298_717)

    @Test func atTheEndOfTheHalfCycle() {
        let chip = chip(MODEL_PERIOD_AT_NEXT_HALF_CYCLE)
        #expect(chip.carrier == Self.slow)
        chip.now = 22_552
        #expect(chip.carrier == Self.slow)
        chip.now = 22_553
        #expect(chip.carrier == Self.fast)
    }

    @Test func atOnce() {
        #expect(chip(MODEL_PERIOD_IMMEDIATELY).carrier == Self.fast)
    }

    @Test func atTheNextStartFromZero() {
        let chip = chip(MODEL_PERIOD_AT_NEXT_START)
        chip.now = 60_000
        #expect(chip.carrier == Self.slow)
        chip.write(0x02, 0x20)
        #expect(chip.carrier == Self.slow)
        chip.write(0x02, 0)
        chip.write(0x02, 0x20)
        #expect(chip.carrier == Self.fast)
    }

    @Test func aPeriodThatIsSetAgainBeforeItTakesEffectHasNoEffect() {
        let chip = chip(MODEL_PERIOD_AT_NEXT_HALF_CYCLE)
        chip.write(0x20, 51)
        chip.now = 60_000
        #expect(chip.carrier == Self.slow)
    }
}
