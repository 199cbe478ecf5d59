"""The fields and curves of the vectors: literals, each with its source. Nothing here is read from the library."""

EIP196, EIP197 = "https://eips.ethereum.org/EIPS/eip-196", "https://eips.ethereum.org/EIPS/eip-197"
EIP4844 = "https://eips.ethereum.org/EIPS/eip-4844"
PAIRING = "https://www.ietf.org/archive/id/draft-irtf-cfrg-pairing-friendly-curves-11.html#section-4.2.1"
ZEXE, BW6 = "https://eprint.iacr.org/2018/962", "https://eprint.iacr.org/2020/351"
GRUMPKIN = "https://hackmd.io/@aztec-network/ByzgNxBfd"
STARKNET = "https://docs.starknet.io/learn/protocol/cryptography"
BABYBEAR, KOALABEAR = "https://eprint.iacr.org/2023/824", "https://eprint.iacr.org/2024/1046"
GOLDILOCKS, CIRCLE = "https://eprint.iacr.org/2022/274", "https://eprint.iacr.org/2024/278"
PLONKY3 = "https://github.com/Plonky3/Plonky3"
M31 = "https://github.com/ingonyama-zk/icicle/blob/v4.0.0/icicle/include/icicle/fields/stark_fields/m31.h"
ARK = "https://docs.rs/ark-{}/0.6"

# Families of curves have their primes as polynomials of a seed; make.py compares.
BN254_SEED = 4965661367192848881
BLS12_381_SEED = -0xD201000000010000
BLS12_377_SEED = 0x8508C00000000001

# Name: prime, generator of the multiplicative group, source of the prime, source of the generator.
PRIMES = {
    "bn254 r": (
        21888242871839275222246405745257275088548364400416034343698204186575808495617,
        5,
        EIP197,
        ARK.format("bn254"),
    ),
    "bn254 p": (
        21888242871839275222246405745257275088696311157297823662689037894645226208583,
        3,
        EIP197,
        ARK.format("bn254"),
    ),
    "bls12_381 r": (
        0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
        7,
        PAIRING,
        EIP4844,
    ),
    "bls12_381 p": (
        int(
            "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
            16,
        ),
        2,
        PAIRING,
        ARK.format("bls12-381"),
    ),
    "bls12_377 r": (
        8444461749428370424248824938781546531375899335154063827935233455917409239041,
        22,
        ZEXE,
        ARK.format("bls12-377"),
    ),
    "bls12_377 p": (
        int(
            "258664426012969094010652733694893533536393512754914660539"
            "884262666720468348340822774968888139573360124440321458177"
        ),
        15,
        ZEXE,
        ARK.format("bls12-377"),
    ),
    "bw6_761 p": (
        int(
            "6891450384315732539396789682275657542479668912536150109513790160209623422243491"
            "7360876831832894116876408645677537866134511617591205542477593495116991253015989"
            "51605099378508850372543631423596795951899700429969112842764913119068299"
        ),
        2,
        BW6,
        ARK.format("bw6-761"),
    ),
    "stark252": (2**251 + 17 * 2**192 + 1, 3, STARKNET, STARKNET),
    "babybear": (2**31 - 2**27 + 1, 31, BABYBEAR, PLONKY3),
    "koalabear": (2**31 - 2**24 + 1, 3, KOALABEAR, PLONKY3),
    "goldilocks": (2**64 - 2**32 + 1, 7, GOLDILOCKS, PLONKY3),
    "m31": (2**31 - 1, 7, CIRCLE, PLONKY3),
}

# How coefficients are multiplied: ("binomial", n, w) is modulo x^n - w; ("tower", a, b) is over 1, i, u, iu with i² = -1 and
# u² = a + b·i.
PRIME = ("binomial", 1, 0)

# Name: prime, shape, scalar field of its family, whether there are transforms, whether it is an extension of its scalar
# field, source of the shape.
FIELDS = {
    "bn254": ("bn254 r", PRIME, "bn254", True, False, EIP197),
    "bn254_base_field": ("bn254 p", PRIME, "bn254", False, False, EIP197),
    "bn254_g2_base_field": ("bn254 p", ("binomial", 2, -1), "bn254", False, False, EIP197),
    "bls12_381": ("bls12_381 r", PRIME, "bls12_381", True, False, PAIRING),
    "bls12_381_base_field": ("bls12_381 p", PRIME, "bls12_381", False, False, PAIRING),
    "bls12_381_g2_base_field": ("bls12_381 p", ("binomial", 2, -1), "bls12_381", False, False, PAIRING),
    "bls12_377": ("bls12_377 r", PRIME, "bls12_377", True, False, ZEXE),
    "bls12_377_base_field": ("bls12_377 p", PRIME, "bls12_377", False, False, ZEXE),
    "bls12_377_g2_base_field": ("bls12_377 p", ("binomial", 2, -5), "bls12_377", False, False, ZEXE),
    "bw6_761": ("bls12_377 p", PRIME, "bw6_761", True, False, BW6),
    "bw6_761_base_field": ("bw6_761 p", PRIME, "bw6_761", False, False, BW6),
    "bw6_761_g2_base_field": ("bw6_761 p", PRIME, "bw6_761", False, False, BW6),
    "grumpkin": ("bn254 p", PRIME, "grumpkin", False, False, GRUMPKIN),
    "grumpkin_base_field": ("bn254 r", PRIME, "grumpkin", False, False, GRUMPKIN),
    "babybear": ("babybear", PRIME, "babybear", True, False, BABYBEAR),
    "babybear_extension": ("babybear", ("binomial", 4, 11), "babybear", True, True, PLONKY3),
    "stark252": ("stark252", PRIME, "stark252", True, False, STARKNET),
    "m31": ("m31", PRIME, "m31", False, False, CIRCLE),
    "m31_extension": ("m31", ("binomial", 4, -1), "m31", False, True, M31),
    "m31_qm31": ("m31", ("tower", 2, 1), "m31", False, True, CIRCLE),
    "koalabear": ("koalabear", PRIME, "koalabear", True, False, KOALABEAR),
    "koalabear_extension": ("koalabear", ("binomial", 4, 3), "koalabear", True, True, PLONKY3),
    "goldilocks": ("goldilocks", PRIME, "goldilocks", True, False, GOLDILOCKS),
    "goldilocks_extension": ("goldilocks", ("binomial", 2, 7), "goldilocks", True, True, PLONKY3),
}

# Name: base field, scalar field, b of y² = x³ + b as (numerator, denominator), x and y of the generator, whether there are
# transforms of points, source. Elements are coefficients.
CURVES = {
    "bn254": ("bn254_base_field", "bn254", ((3,), (1,)), (1,), (2,), True, EIP196),
    "bn254_g2": (
        "bn254_g2_base_field",
        "bn254",
        ((3, 0), (9, 1)),
        (
            10857046999023057135944570762232829481370756359578518086990519993285655852781,
            11559732032986387107991004021392285783925812861821192530917403151452391805634,
        ),
        (
            8495653923123431417604973247489272438418190587263600148770280649306958101930,
            4082367875863433681332203403145435568316851327593401208105741076214120093531,
        ),
        False,
        EIP197,
    ),
    "bls12_381": (
        "bls12_381_base_field",
        "bls12_381",
        ((4,), (1,)),
        (0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,),
        (0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1,),
        True,
        PAIRING,
    ),
    "bls12_381_g2": (
        "bls12_381_g2_base_field",
        "bls12_381",
        ((4, 4), (1, 0)),
        (
            0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
            0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
        ),
        (
            0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
            0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
        ),
        False,
        PAIRING,
    ),
    "bls12_377": (
        "bls12_377_base_field",
        "bls12_377",
        ((1,), (1,)),
        (
            81937999373150964239938255573465948239988671502647976594219695644855304257327692006745978603320413799295628339695,
        ),
        (
            241266749859715473739788878240585681733927191168601896383759122102112907357779751001206799952863815012735208165030,
        ),
        True,
        ZEXE + ", generator of " + ARK.format("bls12-377"),
    ),
    "bls12_377_g2": (
        "bls12_377_g2_base_field",
        "bls12_377",
        ((1, 0), (0, 1)),
        (
            233578398248691099356572568220835526895379068987715365179118596935057653620464273615301663571204657964920925606294,
            140913150380207355837477652521042157274541796891053068589147167627541651775299824604154852141315666357241556069118,
        ),
        (
            63160294768292073209381361943935198908131692476676907196754037919244929611450776219210369229519898517858833747423,
            149157405641012693445398062341192467754805999074082136895788947234480009303640899064710353187729182149407503257491,
        ),
        False,
        ZEXE + ", generator of " + ARK.format("bls12-377"),
    ),
    "bw6_761": (
        "bw6_761_base_field",
        "bw6_761",
        ((-1,), (1,)),
        (
            int(
                "6238772257594679368032145693622812838779005809760824733138787810501188623461307"
                "3517592380992875355162243141492665119771321408286359509400217904895076117543663"
                "17801811090811367945064510304504157188661901055903167026722666149426237"
            ),
        ),
        (
            int(
                "2101735126520897423911504562215834951148127555913367997162789335052900271653517"
                "9585624613157942282415619137343714111782269365276832038795530939341859504709718"
                "48972085321797958124416462268292467002957525517188485984766314758624099"
            ),
        ),
        True,
        BW6 + ", generator of " + ARK.format("bw6-761"),
    ),
    "bw6_761_g2": (
        "bw6_761_g2_base_field",
        "bw6_761",
        ((4,), (1,)),
        (
            int(
                "6445332910596979336035888152774071626898886139774101364933948236926875073754470"
                "8307322738796396754371550365441531050177295926005606316785542995627622947439279"
                "12429096636156401171909259073181112518725201388196280039960074422214428"
            ),
        ),
        (
            int(
                "5629236580895397193869221634445473877575865347410802639469534015951552119346305"
                "9899930039631710418259804479375815321497260568035710825224314674618791721888507"
                "8195819486220416605630144001533548163105316661692978285266378674355041"
            ),
        ),
        False,
        BW6 + ", generator of " + ARK.format("bw6-761"),
    ),
    "grumpkin": (
        "grumpkin_base_field",
        "grumpkin",
        ((-17,), (1,)),
        (1,),
        (17631683881184975370165255887551781615748388533673675138860,),
        False,
        GRUMPKIN + ", generator of " + ARK.format("grumpkin"),
    ),
}
