// Profiles as data: the built-in ones, and which others are refused.

import HapticCompiler
import HapticPatterns
import Testing

@Suite struct DeviceProfileTests {
    private static let text = """
        {
            "name": "mine",
            "kind": "lra",
            "description": "a test",
            "keepsContinuousSharpness": false,
            "keepsTapSharpness": true,
            "tapDullMicroseconds": 20000,
            "tapSharpMicroseconds": 5000,
            "minimumTapSpacingMilliseconds": 15.5,
            "riseMilliseconds": 40,
            "brakeMilliseconds": 20,
            "levelFloor": 0.1,
            "sustainedLevel": 0.6,
            "fullLevelMilliseconds": 2000
        }
        """

    private func read(_ text: String) throws -> DeviceProfile {
        try DeviceProfile(json: Array(text.utf8))
    }

    @Test func builtInProfilesAreFoundByName() {
        #expect(DeviceProfile.all.map(\.name) == ["reference", "lra", "erm"])
        #expect(DeviceProfile.named("lra") == .lra)
        #expect(DeviceProfile.named("none") == nil)
    }

    @Test func referenceKeepsEverything() {
        #expect(DeviceProfile.reference.keepsContinuousSharpness)
        #expect(DeviceProfile.reference.keepsTapSharpness)
        #expect(DeviceProfile.reference.minimumTapSpacing == 0)
        #expect(DeviceProfile.reference.levelFloor == 0)
        #expect(DeviceProfile.reference.budget.sustained == 255)
    }

    @Test func readsEveryField() throws {
        let profile = try read(Self.text)
        #expect(profile.name == "mine")
        #expect(profile.kind == .lra)
        #expect(profile.description == "a test")
        #expect(!profile.keepsContinuousSharpness && profile.keepsTapSharpness)
        #expect((profile.tapDull, profile.tapSharp) == (20_000, 5_000))
        #expect(profile.minimumTapSpacing == 15_500)
        #expect((profile.rise, profile.brake) == (40_000, 20_000))
        #expect(profile.levelFloor == 0.1)
        // The sustained level is 153 of 255. The budget is 1,953 steps of 254 - 91, divided by 256.
        #expect(profile.budget == EnergyBudget(sustained: 153, milliseconds: 1_244))
    }

    @Test func tapLengthIsLinearInSharpness() throws {
        let profile = try read(Self.text)
        #expect([0, 0.5, 1].map(profile.tapLength) == [20_000, 12_500, 5_000])
    }

    @Test(arguments: [
        (
            #""kind": "lra""#, #""kind": "piezo""#,
            #"3:13: error: "kind" must be one of "reference", "lra", "erm""#
        ),
        (#""mine""#, "\"\"", #"2:13: error: "name" must be a string that is not empty"#),
        ("true", "1", #"6:26: error: "keepsTapSharpness" must be true or false"#),
        (
            "20000", "251000",
            #"7:28: error: "tapDullMicroseconds" must be a number of 1000.0 to 250000.0"#
        ),
        (
            "5000", "20001",
            #"8:29: error: "tapSharpMicroseconds" must be a number of 1000.0 to 20000.0"#
        ),
        (
            "15.5", "-1",
            #"9:38: error: "minimumTapSpacingMilliseconds" must be a number of 0.0 to 1000.0"#
        ),
        ("0.1", "\"low\"", #"12:19: error: "levelFloor" must be a number of 0.0 to 1.0"#),
        ("brake", "break", #"1:1: error: the profile lacks the field "brakeMilliseconds""#),
        ("0.1", "0.1, \"colour\": 1", #"12:24: error: a profile has no field "colour""#),
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
