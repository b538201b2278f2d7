// Tests of capabilities: properties of the hardware that an app can query before it plays a
// pattern.

import HapticBridge
import Testing

@Suite struct CapabilityTests {
    private let capability = CHHapticEngine.capabilitiesForHardware()

    @Test func boardsHaveNoLoudspeaker() { #expect(!capability.supportsAudio) }

    @Test func rangesAndDefaultsAreThoseOfTheEvents() throws {
        let intensity = try capability.attributes(
            forEventParameter: .hapticIntensity, eventType: .hapticTransient)
        #expect((intensity.minValue, intensity.maxValue) == (0, 1))
        #expect(intensity.defaultValue == 0.75)
        let control = try capability.attributes(forDynamicParameter: .hapticSharpnessControl)
        #expect((control.minValue, control.maxValue, control.defaultValue) == (-1, 1, 0))
    }

    @Test func aParameterThatAnEventDoesNotHaveIsAnError() {
        #expect(throws: HapticError.self) {
            try capability.attributes(
                forEventParameter: .attackTime, eventType: .hapticTransient)
        }
    }

    @Test func errorCodesAreCoreHapticsNumbers() {
        let codes = CHHapticError.Code.allCases.map(\.rawValue)
        #expect(
            codes == [
                -4805, -4806, -4808, -4809, -4810, -4811, -4812, -4813, -4814, -4815, -4816, -4820,
                -4821, -4822, -4823, -4824, -4825, -4830, -4831, -4840, -4851, -4897, -4898, -4899,
            ])
    }
}
