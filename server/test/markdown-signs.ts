/** Pieces of Markdown syntax, valid and almost valid, which tests combine at random. */

const characters = Array.from(
  "*_~`#>-+|<>[]()!@$&:;,.'\"\\/ \n\t=^{}%ab1é日😀☕\u0002\u0003\u200d\ufe0f\u202e\u2028\r\ue000",
);

/** `⏎` stands for a newline, `␣` for a space. */
const written = String.raw`
** *** ~~ ${"``"} ${"```"} ~~~ $$ ⏎⏎ ⏎␣ ⏎␣␣ ⏎␣␣␣␣ ⏎>␣ ⏎*␣ ⏎1.␣ ⏎-␣ ⏎␣␣*␣ ⏎#␣ ⏎---⏎ ⏎${"```"}⏎ ⏎~~~⏎ ⏎${"```"}quote⏎
⏎${"```"}spoiler␣h⏎ ⏎${"```"}math⏎ ⏎${"```"}js⏎ ⏎${"```"}"><script>⏎ ⏎|-|-|⏎ ⏎a|b⏎-|-⏎ a| ${"`|`"} \| ${"\\`"} ${"\\\\`"}
@** @_** @* #** #**Denmark> **⏎ @**all** @**King␣Hamlet** @_**King␣Hamlet|10** @*support* #**Denmark** #**Denmark>t@5**
#**Denmark>** [a]( ]( [a ]( ](< ](" "t") [] [a](http://x.com␣"t") [[ ]] ![ (( )) "␣ '␣ http:// http://a.b/ https://x.com/(
http://x.com/ x.com x.com/ a@b.com a@ .a www. bitcoin:1 file:/// http://x.com/a.png␣ https://youtu.be/abc␣
http://x.com/a.mp4⏎ /user_uploads/1/a.png [i](/user_uploads/1/a.png) https://dropbox.com/s/a [$$x$$](http://x.com/a.png)
<time: <time:2024-01-01> :smile: :custom: :a: :)␣ ␣:/␣ &amp; &lt;script&gt; &#60; &#x3c; &#1; &#x $$x$$␣ $$\frac{ }$$ \$
#123␣ ␣#1 👨‍👩‍👧 🇩🇪 👍🏽 a␣ ␣a aa word␣ hamlet A-1␣ 00000000000000000000 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ␣␣␣␣␣␣␣␣␣␣
javascript: data:text/html, vbscript: JaVaScRiPt:alert(1) [x](javascript:alert(1)) [x](${"\u0001"}javascript:alert(1))
<script>alert(1)</script> <img␣src=x␣onerror=alert(1)> "␣onclick="alert(1) </code> <!-- --> <svg/onload=a>
&sol; &bsol; &quest; &colon; &Tab; &NewLine; &num; &commat; &period; &lpar; &rpar; &lsqb; &#47; &#x2f; &#63; &amp;sol; .png
[x](/&sol;evil.example/ [x](/&bsol;evil.example/p.png) [x](/accounts/login/subdomain/t&quest;.png) /accounts/x.png) ../ %2e%2e/
http://chat.example.com/ http://chat.example.com&bsol;@x.com/a.png ${"\u0002\ue000\ue000"} ${"\u0003\ue000\ue000"}`;

export const signs: readonly string[] = [
  ...characters,
  ...written
    .trim()
    .split(/[ \n]+/)
    .map((sign) => sign.replaceAll("⏎", "\n").replaceAll("␣", " ")),
];
