// Tests of the profile that results from a board's configuration.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import Testing

@Suite struct BoardProfileTests {
    @Test func itHasTheTimesAndTheBudgetOfTheConfiguration() {
        var configuration = ActuatorConfiguration.coinLRA
        configuration.sustained = 128
        configuration.budget = 2_000
        let profile = DeviceProfile(of: configuration)
        #expect(profile.name == "LRA 170 Hz" && profile.kind == .lra)
        // The durations correspond to seven cycles and one cycle at 170 Hz.
        #expect(profile.tapDull == 41_176 && profile.tapSharp == 5_882)
        #expect(profile.budget == EnergyBudget(sustained: 128, milliseconds: 2_000))
        #expect(!profile.keepsContinuousSharpness)
        // The time constant results from a Q of 10 at 170 Hz, and the overdrive is 3.54 V divided
        // by 2.5 V.
        #expect(
            profile.plant
                == Plant(kind: .lra, timeConstant: 18_700, overdrive: 1.416, isClosedLoop: true))
    }

    @Test func aConfigurationThatDoesNotSayHowItMovesGetsTheEstimateOfItsKind() {
        var configuration = ActuatorConfiguration.coinERM
        configuration.plant = ActuatorPlant(timeConstant: 0, acceleration: 0)
        let plant = DeviceProfile(of: configuration).plant
        #expect(plant?.timeConstant == 40_000 && plant?.overdrive == 1.2)
        #expect(abs((plant?.start ?? 0) - 2.0 / 3) < 1e-9)
        #expect(abs((plant?.running ?? 0) - 0.27) < 1e-9)
    }

    @Test func severalActuatorsHaveTheTapsOfTheFirstAndThePlantOfAnLRA() {
        let profile = DeviceProfile(of: [.coinERM, .coinLRA])
        #expect(profile?.kind == .lra && profile?.plant == DeviceProfile(of: .coinLRA).plant)
        #expect(profile?.tapDull == 65_000 && profile?.tapSharp == 12_000)
        #expect(DeviceProfile(of: []) == nil)
    }

    @Test func anActuatorWithoutANameIsCalledBoard() {
        var configuration = ActuatorConfiguration.coinERM
        configuration.name = ""
        let profile = DeviceProfile(of: configuration)
        #expect(profile.name == "board" && profile.kind == .erm)
    }
}
