// Tests of profiles as data: the built-in profiles, and the validation of other profiles.

import HapticCompiler
import HapticPatterns
import Testing

@Suite struct DeviceProfileTests {
    private static let text = """
        {
            "name": "mine",
            "kind": "lra",
            "description": "a test",
            "tapDullMicroseconds": 20000,
            "tapSharpMicroseconds": 5000,
            "timeConstantMilliseconds": 15.5,
            "closedLoop": true,
            "overdrive": 1.5,
            "sustainedLevel": 0.6,
            "fullLevelMilliseconds": 2000
        }
        """

    private func read(_ text: String) throws -> DeviceProfile {
        try DeviceProfile(json: Array(text.utf8))
    }

    @Test func builtInProfilesAreFoundByName() {
        #expect(DeviceProfile.all.map(\.name) == ["reference", "lra", "erm", "wide-band"])
        #expect(DeviceProfile.named("lra") == .lra)
        #expect(DeviceProfile.named("none") == nil)
    }

    @Test func referenceKeepsEverything() {
        #expect(DeviceProfile.reference.keepsContinuousSharpness)
        #expect(DeviceProfile.reference.plant == nil)
        #expect(DeviceProfile.reference.budget.sustained == 255)
    }

    @Test func readsEveryField() throws {
        let profile = try read(Self.text)
        #expect(profile.name == "mine")
        #expect(profile.kind == .lra)
        #expect(profile.description == "a test")
        #expect(!profile.keepsContinuousSharpness)
        #expect((profile.tapDull, profile.tapSharp) == (20_000, 5_000))
        #expect(
            profile.plant
                == Plant(kind: .lra, timeConstant: 15_500, overdrive: 1.5, isClosedLoop: true))
        // The sustained level is 153 of 255. The budget is 1,953 steps of 255 x 255 - 153 x 153,
        // divided by 65,536.
        #expect(profile.budget == EnergyBudget(sustained: 153, milliseconds: 1_240))
        #expect(!profile.isMeasured)
    }

    @Test func aProfileWithAnOriginIsMeasured() throws {
        let origin = #"1.5, "origin": {"sensor": "LIS3DH"}"#
        let profile = try read(Self.text.replacing("1.5", with: origin, maxReplacements: 1))
        #expect(profile.isMeasured)
    }

    @Test func tapLengthIsLinearInSharpness() throws {
        let profile = try read(Self.text)
        #expect([0, 0.5, 1].map(profile.tapLength) == [20_000, 12_500, 5_000])
    }

    @Test(arguments: [
        (
            #""kind": "lra""#, #""kind": "piezo""#,
            #"3:13: error: "kind" must be one of "reference", "lra", "erm", "wide-band""#
        ),
        (#""mine""#, "\"\"", #"2:13: error: "name" must be a string that is not empty"#),
        (
            "20000", "251000",
            #"5:28: error: "tapDullMicroseconds" must be a number of 1000.0 to 250000.0"#
        ),
        (
            "5000", "20001",
            #"6:29: error: "tapSharpMicroseconds" must be a number of 1000.0 to 20000.0"#
        ),
        (
            "15.5", "0",
            #"7:33: error: "timeConstantMilliseconds" must be a number of 1.0 to 1000.0"#
        ),
        ("true", "1", #"8:19: error: "closedLoop" must be true or false"#),
        ("1.5", "\"low\"", #"9:18: error: "overdrive" must be a number of 1.0 to 4.0"#),
        ("overdrive", "override", #"1:1: error: the profile lacks the field "overdrive""#),
        ("\"lra\"", "\"erm\"", #"1:1: error: the profile lacks the field "startVoltage""#),
        ("0.6", "0.6, \"colour\": 1", #"10:28: error: the field "colour" is unknown"#),
    ])
    func refusesWhatIsWrongWithItsPlace(part: String, other: String, message: String) {
        #expect {
            try read(Self.text.replacing(part, with: other))
        } throws: { error in
            "\(error)" == message
        }
    }

    @Test(arguments: ["", "[]", "{", "{,}", "nonsense"])
    func refusesWhatIsNoObject(text: String) {
        #expect(throws: DeviceProfileError.self) { try read(text) }
    }
}
