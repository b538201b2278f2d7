// The profile that results from a board's configuration.

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
        // Four cycles of 170 Hz, and one cycle.
        #expect(profile.tapDull == 23_529 && profile.tapSharp == 5_882)
        #expect(profile.rise == Microseconds(configuration.rise) * 1_000)
        #expect(profile.brake == Microseconds(configuration.brake) * 1_000)
        #expect(profile.budget == EnergyBudget(sustained: 128, milliseconds: 2_000))
        #expect(profile.keepsTapSharpness && !profile.keepsContinuousSharpness)
    }

    @Test func whatTheConfigurationLeavesOpenIsThatOfItsKind() {
        var configuration = ActuatorConfiguration.coinERM
        configuration.name = ""
        configuration.tapSharp = configuration.tapDull
        let profile = DeviceProfile(of: configuration)
        #expect(profile.name == "board" && profile.kind == .erm)
        #expect(!profile.keepsTapSharpness, "all taps last as long")
        #expect(profile.levelFloor == DeviceProfile.erm.levelFloor)
        configuration.curve.low = 60
        #expect(DeviceProfile(of: configuration).levelFloor == 0, "the curve lifts what is weak")
    }
}
