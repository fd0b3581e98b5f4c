import { inflateRawSync } from 'node:zlib'
import { gif, pdf, png } from './pictures.ts'

/** A small good file of every type that is accepted, by the usual ending of its name. */
export const SAMPLES = {
  png: png(),
  gif: gif(),
  pdf: pdf(),
  jpg: packed(
    '+3/j/20GZwZpIRFxEUFpcTFxORlpBQ0nbQ1VVY1AK1sDp4TQ1JT40NjorIqZjVmFE4qjY1u3tk2Yt3j12tXp' +
      'DXtO7lp2fOaK1UtAhjDKyMlpKGv4aWv7LcmLzVtCMvh/gEGQg4GNgYOZUYmBSZCRWZDx/xEGUQZGRgZUwPz/' +
      'CIOkACMDEzOKMCMzq6AhSAcjug5Gpv9HGMQEMcUF/99i4GFmZGASZBZksGdYW9H1XYbRzbf+/00A',
  ),
  webp: packed(
    'AXQAi/9SSUZGbAAAAFdFQlBWUDhMXwAAAC8HQAEAuQpE9D92EdH/UChkJEki2SGY9rc5gluLhfgUMpIkLchD' +
      '0O1Ps0dw42AQYBqSn6Ah3J/iEZRD9EB1ar/duF+9ifGafnGwtO0cqjGpiLoxKXyAhSbMGmyrRNUGAA==',
  ),
  mp4: packed(
    'vVE7CsJAFJwkhY2dKVKkUPAC3sBTWNnEbNYsyRrJewa0CtjYeTPPYW9nJWb9JEEFQRxY5v1g3uwD4EpeLxVl' +
      'GgAM23OdZQWAVBexQAPOEejt8HNYJ86DBMCUk0rTqTcNvdC1PudjAHYJWHHV3GuhgsqX+JcvDGKR5vekUCJq' +
      'D5y1WkgAQ2HYF3kka3a6qzzt3+ID8SwFIIlJ1GYmQRGO3m1gl8b+1/CImWoqlvkm+MQUNuuP5xHTpnWQ66Yu' +
      'cZg9a/bWnCHgzh9wAQ==',
  ),
  mov: packed(
    'vVE7DoJAFJyFwsZOCgoKTLyAN/AUVjbIghBAlPfcRCsSGztv5jns7ayMrB8gamJinGQz75fMm30ArJDXiyW7' +
      'LgBoNmZZnisAaaYiiQbMI9Db4ecQJy68BMCEk0rTrDc1vdAVn/MRAKMERFQ195mMvcqX/Jcv9COZFvdExTJo' +
      'D5yzeB4CGEjNjiyCsGanuypS9xYfiKcpgJCYZG1m7Cl/+G4Do9T2v4ZNzFRTEfqb4BCT36w/nk1Mm9ZBrpta' +
      'xH7+rBlbfQaPO3/ABQ==',
  ),
  webm: packed(
    'k3K9v5iRAQz4nJqgLJby1KRcieCGdAif0UDUc2UaVE5Z6/pGKJONgYGB38nBpRPK53DY3AFmiIWsy4aKxayD' +
      'MoKvI+liYGBsRuW2QbmsYfFhARYPoDy5DciqmBp2IXMZM+Sdt5VCRXqfo5jHAPOUWSMDQwM7yQBJewoZ2gE=',
  ),
  doc: packed(
    '7dhNDsFQFIbht62iTIjEoCMrMWIDJhaAITdp2oEd2IaBBVgJS2BuC3pp0wpGNdR8T3Jzf5KTnNwz+86n/mV/' +
      'DK98GeOR2oDm25sDdMpLD1JrbXYs9y5g5a/cDoiIiIiIiIiIiEhNzTAYYkZM2RATsf2pfoj/ynydijVlXpyZ' +
      'Y4hYMsGwIGHNKu+jqhD3I3OuWrcbaPYUmb4LeEAD8CHP/FvPP2oDQTGvbN0Vl9fOAw==',
  ),
  ppt: packed(
    '7dkxTgJBFMbxPzsCIiYLMbGgorT0BIYE7QmJtQWhoJBNFojxBrYewSN4A0o6OIKGBhtvAEN2M0uQgoydyPdL' +
      'Jvt2k7dvMtO9N5tWP97ea5/suMGwsiUKW99yQDl7qcDKWpuE2fMcsHJQQhbmGgj5Mlf4C/k2LxeIiIiIiIiI' +
      'iIjIgXgYv851CselTUTEkDp39BkS8/yr/Evym55/zjPnDGi4uMmImJhuWr3OPQO6xN71awRp/cDNHnzzsl53' +
      'i4intGIS9dwubonoMOLR7Wvff4IfMw/f+pM/0jtP7iw5OwOcAHlIZz5F4BQouflOtpYamfwraw==',
  ),
  docx: packed(
    'C/BmZhFhYGDgYACByjzj628YGBjWMjIwCDMwMEQ75+eVpOaVxIdUFqQWx+pV5ObUTjjtd9hAwLX+6Cexo3w6' +
      'Ak6Fux5sZBF7yqxTPSlia7pOv/Sl/e6Z3uIrNuzrLy7dfXbSohkLCxRMPoVtDWKw+sTormy/ff3ZZpEY3Spp' +
      'zoMnmDfc+XL324TGo5OUNk0MXvszMLtMWOV0l9GDSY8cVG+e6jq1YnOptXXTvuzb1W85tBNyX91S/P1Okm13' +
      'f+geHdEPWxY7pGjO8zs2NXXJWUu29GyFK8a/4qc88wlgfXTxcPCJms1LNL6GHlr1h9fi+b10DdUKAfltV8xn' +
      'H/D463o02z9vPsPqX/ufnfKTanvwYFL87SJF9jOMx0WuunqaPThfV7tn93+2AJTAuXn49ZrdDAwMXowMDNwM' +
      'DAzxRak5xfp6ILJ3wsGswwYCLvWub/ZOu+3McbRIb+kEZ33Vnw2uUbcXXVp3Qav38/edWwIuy1XNTbzXLMmX' +
      '7fds8iq3RPb+WP62G94dNtYW8+PkvyVsUWT3OfTkgRtXe2HF8hZdrtdC3bNM1cPYvbOf3oz6yp16xY/r46zL' +
      'KqbJl/1e5XD/4p9z0u7r33PX5vPcMDpraLHCyPfi5e4f3mp5CX7bnf5fzCmvv/FG3+jazFnNq68kHA6/s9ay' +
      'Njxf6MTBidKhx1jKZN48a/7Ih+rHuVX602MZGBgyGRgYBBkYGMrzi1L0U/KTS3NT80pA0e96ypKrwUCA4cD6' +
      'lrd7rTgtreIX8Ads7pjwxolv8X5x7deSqe8fHG01nOsj1baNvXHLZuuXFzacCTZu8qhU3V6lduVDAlN2yNS+' +
      '70ITNu1oXq6yuk3IM+xHTvL3ErfS/0b6qG7xs1FWD2FgYEhgYGAQYGBgSMlPDijKLyjWTywoADll88b1J84G' +
      'anjrap07c35zqNEV44Agj7Pe5/xPnvHeHsrFW3h5a0CQhp7nGW/PMyfPe28NXeWjG7Zp+2ZOjVP6HrpaJ310' +
      't23m9PDx191mvPFiu0HOl4kqjAHejEwiDLgzBCrAkj3QDUBPNAggy4iShNA1oscEAjAyYYkXdO3ogYcAvUyY' +
      'QRngzcoGkmNhYGH4zsDAwM8M4gEA',
  ),
  pptx: packed(
    'C/BmZhFhYGDgYACBeZe1Yl4zMDBsYmRgEGZgYIh2zs8rSc0riQ+pLEgtjtWryM2pnXDW74gBT0u86idRU00Z' +
      'Aafc7wfOC1ro8AsszZOeaBH4Zu2u/P5bsSoO3O6nH/9Mu/NmmsSVntbaRWLrSnm5Ti69d/nGod//du5iPpq0' +
      'crui4LYCl7bY62/6JSN1DQW2G3Q+qU6+4Suh+3rKxGkSbSGLRK+t7FGL/p7obmJeWpsdo+Q4ySuM/8Usd5k3' +
      'ih1VUSwvpyxOSAjgV394KuvgM5k9mx8Jz5z5K37KK58LrIeXPTyZvi8qiaF44oa8f2xz3sel6xz9vuJezkRx' +
      '6Y2skzfPiJkwMeXyq/9z9Vx8Dz+Q/XZSVmnSi/dphn8kSrfM2+c14+3zu+oBKGHTVl01fy8DA4MfIwMDNwMD' +
      'Q3xRak6xvh6I7J1w0OuIg4BLfeqL3S9fOLoY3Tyt9OZg9xp5Ax+rkw98vhvc3Z3yP06ApVnOJvxqdcDhRO2b' +
      'sSszhb4V3P/6oGOxT6c4//vn03erF2Q1Lp/QevJwrwjf4w9ulhFC10xDS6NPrpEL2/yrZ0XhUqEtk732TLXx' +
      '1j64ZfK2BN6Pyjot/LX/O96qM3/zKZ9lYzLzuchLjY9BHbx3foa9tJ/19x2/9D+l9m0TKg9E8WYrq25bX7V9' +
      '6h/Z/adc5PxyrlikHCg8cJf/MZove2oU/UMZGBgiGBgYQKIFBSX6BUWpxal5JYklmfl5oCTAetCXq0FBgO3C' +
      '6hNvft9uzXhr5SjrUMThaH9044rb3+dF3he5ejjUqW3pSnlPw3NvmPW8j+8rNdbM5Lt3lGfbl40Xds1Y5J2a' +
      'aHLdqa0quOVF0st1F1rbnrKjOmMP7xMpkDOSGBgYBBgYGFLykwOK8guK9RMLCkBO2Lxx/YmzgRreulrnzpzf' +
      'HGp0xTggyOOs9zn/k2e8t4dy8RZe3hoQpKHnecbb88zJ895bQ1f56IZt2r6ZU+OUvoeu1kkf3W2bOc+d9PHU' +
      '3Wa8/WL7ppwvE5cwBngzMokw4M4NqABL3kA3AD3JIIAMI0oCQteIHgsIwMSEPU7QTUAPQAToZMIMzgBvVjaQ' +
      'HAsDC8MvoP08zCAeAA==',
  ),
}
export type Ending = keyof typeof SAMPLES

/** Undoes the compression that keeps a sample short. */
function packed(text: string): Buffer {
  return inflateRawSync(Buffer.from(text, 'base64'))
}
